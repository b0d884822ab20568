import type { NamedTransaction, PaidTransaction, Transaction } from '../money/transaction.js';
import { FOLLOW_UP_WORK } from '../work/backoff.js';
import type { TotalChange } from '../money/total.js';
import type { TransactionRecord } from '../money/transaction.record.js';
import type { HistoryEntry, LedgerChange } from '../store/ledger.store.js';
import type { NewEvent } from '../store/new-event.js';
import { isSettled } from './operation-states.js';
import type { AskedAgain, Operation, OperationFields, Via } from '../store/operation.js';
import type { ReviewCause } from '../store/review-cause.js';
import type { FailureReason } from '../money/known-failures.js';

/** A change of an operation that is not committed yet. */
export interface OperationChange {
  via: Via;
  set: OperationFields;
  /** Milliseconds until the operation is due again; null: never; undefined: unchanged. */
  dueInMs?: number | null;
  /** Milliseconds from now in which it may be sent: an approved operation has its whole time from the approval on. */
  sendWithinMs?: number;
  /** What must not refuse it now: its guard and its limits are asked again in the commit. */
  asks?: AskedAgain;
  note?: string;
  /** The failed attempts to send, as lines of the history. */
  attempts?: readonly string[];
  /** Transaction that the same commit ties to the operation. */
  tie?: Transaction;
  /** Whether the till event of that transaction was emitted while nobody owned it. */
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

/** Why a person must decide, and the reference of the transaction that it is about. */
export interface Review {
  cause: ReviewCause;
  reference: string | null;
  detail: string;
  /** Minor units of a reversal that is of another part of the money than the first one. */
  otherPart?: string;
  /** Digest of the evidence; absent when there is none. */
  evidence?: string;
}

/** What a success clears. */
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
    dueInMs: wasSent ? FOLLOW_UP_WORK.readFailedMs : null,
  };
}

/** The change of an operation whose transaction was reversed. */
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

/** The fields that a change sets, with the source of the evidence if it settles the operation. */
export function fieldsOf({ state }: Operation, { set, via }: OperationChange): OperationFields {
  const isSettling = set.state !== undefined && set.state !== state && isSettled(set.state);
  return isSettling ? { ...set, settledVia: via } : set;
}

/** The commit of a change: the new state of the operation, the tied transaction, the events, the history and the totals. */
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
