import type { FailureReason } from '../money/known-failures.js';
import type { TotalChange } from '../money/total.js';
import type {
  NamedTransaction,
  PaidTransaction,
  Transaction,
  TransactionRecord,
} from '../money/transaction.js';
import { MINUTE } from '../runtime/clock.js';
import type { HistoryEntry, LedgerChange } from '../store/ledger.store.js';
import type { NewEvent } from '../store/new-event.js';
import type {
  AskedAgain,
  Operation,
  OperationFields,
  ReviewCause,
  Via,
} from '../store/operation.js';
import { withoutPerson } from '../store/redaction.js';
import { isSettled } from './operation-states.js';

/** An operation that failed after it was sent is read once more after this time: the customer may have paid anyway. */
export const READ_FAILED_MS = 10 * MINUTE;

/** A change of an operation that is not committed yet. */
export interface OperationChange {
  via: Via;
  set: OperationFields;
  /** Milliseconds until the operation is due again; null: never; undefined: unchanged. */
  dueInMs?: number | null;
  /** Milliseconds from now in which it may be sent: an approved operation has its whole time from the approval on. */
  sendWithinMs?: number;
  /** The commit asks this guard and these limits again, and they must not refuse the change. */
  asks?: AskedAgain;
  note?: string;
  /** The failed attempts to send, as lines of the history. */
  attempts?: readonly string[];
  /** Transaction that the same commit ties to the operation. */
  tie?: Transaction;
  /** True when the till event of that transaction was emitted while nobody owned it. */
  announcedBefore?: boolean;
  /** References of money without an owner that looks like that of an operation which fails. */
  unownedReferences?: readonly string[];
  /** References of transfers that the operation makes its own. */
  transfers?: readonly string[];
  /** The record of that transaction when it was assessed. The commit fails if the record has changed since. */
  record?: TransactionRecord | null;
  /** The reversal, if the change reverses the operation. */
  reversal?: NamedTransaction;
  /** The review or contradiction that emits an event, and the reference of its transaction. */
  review?: Review;
}

/** Says why a person must decide, and the reference of the transaction that it is about. */
export interface Review {
  cause: ReviewCause;
  reference: string | null;
  detail: string;
  /** Minor units of a reversal that is of another part of the money than the first one. */
  otherPart?: string;
  /** Digest of the evidence; absent when there is none. */
  evidence?: string;
}

/** A success clears these fields. */
export const SETTLED = { reason: null, errors: [], cause: null, causeDetail: null } as const;

export function succeed(via: Via, transaction: PaidTransaction): OperationChange {
  return {
    via,
    set: { ...SETTLED, state: 'succeeded', transaction },
    dueInMs: null,
    tie: transaction,
  };
}

export function fail(
  { sentAt }: Operation,
  via: Via,
  reason: FailureReason,
  errors: readonly string[],
): OperationChange {
  // A refused create is certain. After any other failure the customer may still pay.
  const wasSent = via !== 'request' && sentAt !== null;
  return {
    via,
    set: { state: 'failed', reason, errors: [...errors], cause: null, causeDetail: null },
    dueInMs: wasSent ? READ_FAILED_MS : null,
  };
}

/** Returns the change of an operation whose transaction was reversed. */
export function reverse(
  operation: Operation,
  via: Via,
  reversal: NamedTransaction,
): OperationChange {
  return {
    via,
    set: { state: 'reversed', transaction: operation.transaction ?? reversal },
    dueInMs: null,
    reversal,
  };
}

/** Returns the fields that a change sets, with the source of the evidence if it settles the operation. */
export function fieldsOf({ state }: Operation, { set, via }: OperationChange): OperationFields {
  const isSettling = set.state !== undefined && set.state !== state && isSettled(set.state);
  return isSettling ? { ...set, settledVia: via } : set;
}

/** Returns the commit of a change: the new state of the operation, the tied transaction, the events, the history and the totals. */
export function ledgerChange(
  operation: Operation,
  change: OperationChange,
  events: readonly NewEvent[],
  totals: readonly TotalChange[],
  tie?: LedgerChange['transaction'],
): LedgerChange {
  const { dueInMs, sendWithinMs, asks, transfers } = change;
  return {
    account: operation.account,
    operation: {
      id: operation.id,
      version: operation.version,
      set: fieldsOf(operation, change),
      ...(dueInMs !== undefined && { dueInMs }),
      ...(sendWithinMs !== undefined && { sendWithinMs }),
      ...(asks && { asks }),
      ...(transfers && { transfers }),
      totals,
    },
    ...(tie && { transaction: tie }),
    events,
    history: historyOf(operation, change),
  };
}

function historyOf(
  operation: Operation,
  { via, set, note, attempts = [] }: OperationChange,
): HistoryEntry[] {
  const entries: HistoryEntry[] = attempts.map((detail) => ({ via, what: 'attempt', detail }));
  if (set.state && set.state !== operation.state) {
    entries.push({ via, what: 'state', detail: `${operation.state} to ${set.state}` });
  }
  if (note) entries.push({ via, what: 'note', detail: note });
  return entries;
}

/**
 * Returns a change of a redacted operation, as it is written: evidence that comes after a redaction names the person again. It was decided on all
 * that the evidence says. What a person writes on a decision stays, until retention redacts it.
 */
export function withoutPersonsIn(change: OperationChange): OperationChange {
  const { set, tie, reversal } = change;
  const { transaction, errors, outcome } = set;
  return {
    ...change,
    set: {
      ...set,
      ...(transaction && { transaction: withoutPerson(transaction) }),
      ...(errors && { errors: [] }),
      ...(Array.isArray(outcome) && { outcome: outcome.map(withoutErrors) }),
    },
    ...(tie && { tie: withoutPerson(tie) }),
    ...(reversal && { reversal: withoutPerson(reversal) }),
  };
}

/** Returns the outcome of one destination without the texts of the platform. */
function withoutErrors(part: object): object {
  return { ...part, errors: [] };
}

/** Longest text of one contradiction: a text of the platform must not grow a row without limit. */
const LONGEST = 500;

/** A text of ours ends here, and the platform's errors follow. */
const ERRORS = /(?<= names errors[^:]*): .*$/s;

/**
 * Returns the text of a contradiction as it is stored and compared: one line, whatever the platform wrote. Of a redacted operation without the
 * errors, which may name the person; all else are texts of ours, amounts and references.
 */
export function reviewDetail({ redacted }: Pick<Operation, 'redacted'>, text: string): string {
  const stored = redacted ? text.replace(ERRORS, '') : text;
  return stored.replaceAll(/\s+/g, ' ').slice(0, LONGEST);
}
