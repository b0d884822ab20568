import type { Transaction } from '../resources/transaction.resource.js';
import { toMinorUnits } from '../values/money.js';
import { readTimestamp } from '../values/timestamp.js';
import { newEvent, type NewEvent } from './ledger.events.js';
import type { Decision } from './payment.decision.js';
import {
  toPayment,
  type FailureReason,
  type Payment,
  type PaymentChanges,
  type PaymentRecord,
  type Via,
} from './payment.js';
import type { HistoryEntry, LedgerChange, TransactionFields } from './payments.store.js';
import { isSameMoney, type MoneyKey, type TransactionRecord } from './till-transaction.js';

/** What a decision writes to a payment, before it is known whether nobody was faster. */
export interface PaymentStep {
  via: Via;
  set: PaymentChanges;
  /** Milliseconds until the payment is looked at again; null: never; left out: as it was. */
  dueInMs?: number | null;
  note?: string;
  /** Money that becomes the payment's own in the same commit. */
  tie?: Transaction;
  /** What was known of that money when it was judged: a commit on anything newer fails. */
  known?: TransactionRecord | null;
  events?: (after: Payment) => NewEvent[];
}

/** A payment whose `Success` shows no transaction is read again after this. */
const READ_AGAIN_MS = 1_000;

/** What a decision writes; null when it changes nothing. `firstReadMs`: when a payment with the platform is first read. */
export function stepOf(
  payment: PaymentRecord,
  via: Via,
  decision: Decision,
  firstReadMs: number,
): PaymentStep | null {
  switch (decision.kind) {
    case 'keep':
      return null;
    case 'succeed':
      return succeed(payment, via, decision.transaction);
    case 'fail':
      return fail(payment, via, decision.reason, decision.errors);
    case 'review': {
      const { cause, detail, transaction } = decision;
      return {
        via,
        set: {
          state: 'needs_review',
          cause,
          causeDetail: detail,
          ...(transaction && { transaction }),
        },
        dueInMs: null,
        note: detail,
        ...(transaction && { tie: transaction }),
        events: (after) => [
          newEvent(
            'payment.needs_review',
            { ...about(payment, via), distinction: cause },
            { payment: after, cause },
          ),
        ],
      };
    }
    case 'second_transaction': {
      const cause = 'second_transaction';
      const reference = decision.transaction.reference ?? '';
      const detail = `a second transaction, ${reference}, was seen for this payment`;
      if (payment.causeDetail === detail) return null;
      const subject = { ...about(payment, via), distinction: `${cause} ${reference}` };
      return {
        via,
        set: { cause, causeDetail: detail },
        note: detail,
        events: (after) => [newEvent('payment.needs_review', subject, { payment: after, cause })],
      };
    }
    case 'read_again':
      return { via, set: { emptySuccesses: payment.emptySuccesses + 1 }, dueInMs: READ_AGAIN_MS };
    case 'accept':
      return { via, set: { state: 'pending' }, dueInMs: firstReadMs };
  }
}

export function succeed(payment: PaymentRecord, via: Via, transaction: Transaction): PaymentStep {
  return {
    via,
    set: {
      state: 'succeeded',
      transaction,
      reason: null,
      errors: [],
      cause: null,
      causeDetail: null,
    },
    dueInMs: null,
    tie: transaction,
    events: (after) => [
      newEvent('payment.succeeded', about(payment, via), { payment: after, transaction }),
    ],
  };
}

export function fail(
  payment: PaymentRecord,
  via: Via,
  reason: FailureReason,
  errors: readonly string[],
): PaymentStep {
  return {
    via,
    set: { state: 'failed', reason, errors: [...errors], cause: null, causeDetail: null },
    dueInMs: null,
    events: (after) => [
      newEvent('payment.failed', about(payment, via), { payment: after, reason, errors }),
    ],
  };
}

/** One commit: the payment's new state, the money that becomes its own, the events that tell it, its timeline. */
export function paymentChange(
  payment: PaymentRecord,
  { via, set, dueInMs, note, events }: PaymentStep,
  tie: LedgerChange['transaction'],
): LedgerChange {
  return {
    account: payment.account,
    payment: {
      id: payment.id,
      version: payment.version,
      set,
      ...(dueInMs !== undefined && { dueInMs }),
    },
    ...(tie && { transaction: tie }),
    events: events?.(toPayment({ ...payment, ...set })) ?? [],
    history: timeline(payment, via, set, note),
  };
}

/**
 * Writes that a transaction is the money of a payment; undefined when it is another's. It is written also where it stands
 * already, so that the commit fails if the transaction was reversed after it was judged.
 */
export function tieChange(
  paymentId: string,
  transaction: Transaction,
  key: MoneyKey,
  known: TransactionRecord | null,
): LedgerChange['transaction'] {
  if (known?.paymentId && known.paymentId !== paymentId) return undefined;
  const fields = known ? fieldsOf(known) : firstFields(transaction);
  return {
    ...key,
    version: known?.version ?? null,
    set: { ...fields, received: fields.received ?? transaction, paymentId },
  };
}

/** One sighting of a transaction of a till. */
export interface TillSighting {
  via: 'webhook' | 'sweep';
  transaction: Transaction;
  reversal: boolean;
  webhookEventId: string | null;
  /** Whether money first seen now is to be told; a sweep does not tell what is older than its start. */
  announce: boolean;
}

/**
 * What a sighting writes: the first one of money received tells it, a reversal of a payment's own money reverses the
 * payment. Null when it says nothing new.
 */
export function sightingChange(
  account: string,
  key: MoneyKey,
  known: TransactionRecord | null,
  /** The payment whose money it is known to be, and the key of that payment's money. */
  owner: { payment: PaymentRecord; key: MoneyKey | null } | null,
  { via, transaction, reversal, webhookEventId, announce }: TillSighting,
): LedgerChange | null {
  const before = known ? fieldsOf(known) : firstFields(transaction);
  const newId = webhookEventId !== null && !before.webhookEventIds.includes(webhookEventId);
  const set: TransactionFields = {
    ...before,
    received: before.received ?? (reversal ? null : transaction),
    reversal: before.reversal ?? (reversal ? transaction : null),
    webhookEventIds: newId ? [...before.webhookEventIds, webhookEventId] : before.webhookEventIds,
    announced: before.announced || (announce && !reversal),
  };
  const reversed =
    set.reversal && owner?.payment.state === 'succeeded' && isSameMoney(owner.key, key);
  const isNews =
    newId ||
    set.announced !== before.announced ||
    set.received !== before.received ||
    set.reversal !== before.reversal;
  if (known && !isNews && !reversed) return null;

  const change: LedgerChange & { events: NewEvent[] } = {
    account,
    transaction: { ...key, version: known?.version ?? null, set },
    events: [],
    history: [],
  };
  if (set.announced && !before.announced) {
    const { paymentId } = set;
    const content = { transaction: set.received ?? transaction, webhookEventId, paymentId };
    change.events.push(
      newEvent('till.transaction.received', { account, stream: streamOf(key), via }, content),
    );
  }
  if (reversed) {
    const { payment } = owner;
    const step: PaymentStep = { via, set: { state: 'reversed' }, dueInMs: null };
    const after = toPayment({ ...payment, ...step.set });
    change.events.push(
      newEvent('payment.reversed', about(payment, via), { payment: after, transaction }),
    );
    change.payment = { id: payment.id, version: payment.version, set: step.set, dueInMs: null };
    change.history = timeline(payment, via, step.set);
  }
  return change;
}

/** Amount in minor units, as text; null when it cannot be read. */
export function minorOf({ amount, currency }: Transaction): string | null {
  return amount !== null && currency !== null
    ? (toMinorUnits(amount, currency)?.toString() ?? null)
    : null;
}

function streamOf({ tillKey, reference }: MoneyKey): string {
  return `${tillKey}:${reference}`;
}

function about(payment: PaymentRecord, via: Via): { account: string; stream: string; via: Via } {
  return { account: payment.account, stream: payment.id, via };
}

function timeline(
  payment: PaymentRecord,
  via: Via,
  set: PaymentChanges,
  note?: string,
): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  if (set.state && set.state !== payment.state) {
    entries.push({ via, what: 'state', detail: `${payment.state} to ${set.state}` });
  }
  if (note) entries.push({ via, what: 'note', detail: note });
  return entries;
}

/** What is stored of a transaction that is seen for the first time, before anything is said of it. */
function firstFields(transaction: Transaction): TransactionFields {
  return {
    received: null,
    reversal: null,
    webhookEventIds: [],
    paymentId: null,
    announced: false,
    originatedAt: readTimestamp(transaction.originationTime),
    currency: transaction.currency,
    amountMinor: minorOf(transaction),
  };
}

function fieldsOf(record: TransactionRecord): TransactionFields {
  const {
    received,
    reversal,
    webhookEventIds,
    paymentId,
    announced,
    originatedAt,
    currency,
    amountMinor,
  } = record;
  return {
    received,
    reversal,
    webhookEventIds,
    paymentId,
    announced,
    originatedAt,
    currency,
    amountMinor,
  };
}
