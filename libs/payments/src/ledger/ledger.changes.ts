import { movementOf, type Transaction } from '../resources/transaction.resource.js';
import { toMinorUnits } from '../values/money.js';
import { payerHash } from '../values/phone-number.js';
import type { TillAliases } from '../values/till-number.js';
import { readTimestamp } from '../values/timestamp.js';
import { newEvent, type NewEvent } from './ledger.events.js';
import type { Decision } from './payment.decision.js';
import {
  toPayment,
  type FailureReason,
  type Payment,
  type PaymentChanges,
  type PaymentRecord,
  type ReviewCause,
  type Via,
} from './payment.js';
import { isSelfSettling } from './payment.states.js';
import type { HistoryEntry, LedgerChange } from './payments.store.js';
import {
  joinedFor,
  ownerIdOf,
  sumIndex,
  sumsAt,
  tillsSeen,
  type MoneyKey,
  type TransactionRecord,
  type TransactionSum,
} from './till-transaction.js';

/** What a decision writes to a payment, before it is known whether nobody was faster. */
export interface PaymentStep {
  via: Via;
  set: PaymentChanges;
  /** Milliseconds until the payment is looked at again; null: never; left out: as it was. */
  dueInMs?: number | null;
  note?: string;
  /** Money that becomes the payment's own in the same commit. */
  tie?: Transaction;
  /** False when a person named that money, and the platform has not shown it yet. @default true */
  isReported?: boolean;
  /** What was known under the reference of that money when it was judged: a commit on anything newer fails. */
  known?: TransactionRecord | null;
  events?: (after: Payment) => NewEvent[];
}

/** A payment whose `Success` shows no transaction is read again after this. */
const READ_AGAIN_MS = 1_000;

/** A payment that failed after it was sent is read once more after this: somebody may have paid all the same. */
export const READ_FAILED_MS = 10 * 60_000;

/** A review that full proof can settle is looked at again after this. */
export const FIRST_FOLLOW_UP_MS = 3_600_000;

/** Longest text of causes: contradictions that keep coming must not grow a row, or write it, without end. */
const LONGEST_DETAIL = 2_000;
const BETWEEN_DETAILS = '\n';

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
        dueInMs: isSelfSettling(cause) ? FIRST_FOLLOW_UP_MS : null,
        note: detail,
        ...(transaction && { tie: transaction }),
        events: (after) => [reviewEvent(payment, via, after, decision)],
      };
    }
    case 'contradict': {
      const { detail } = decision;
      const known = payment.causeDetail?.split(BETWEEN_DETAILS) ?? [];
      const all = [...known, detail].join(BETWEEN_DETAILS);
      if (known.includes(detail)) return null;
      // What does not fit is told all the same, and tied.
      const fits = all.length <= LONGEST_DETAIL;
      return {
        via,
        set: fits ? { cause: payment.cause ?? decision.cause, causeDetail: all } : {},
        ...(fits && { note: detail }),
        ...(decision.transaction && { tie: decision.transaction }),
        events: (after) => [reviewEvent(payment, via, after, decision)],
      };
    }
    case 'read_again':
      return { via, set: { emptySuccesses: payment.emptySuccesses + 1 }, dueInMs: READ_AGAIN_MS };
    case 'accept':
      return { via, set: { state: 'pending' }, dueInMs: firstReadMs };
  }
}

/** Told apart by payment, cause and the transaction it is about: another contradiction emits another event. */
function reviewEvent(
  payment: PaymentRecord,
  via: Via,
  after: Payment,
  { cause, reference }: { cause: ReviewCause; reference: string | null },
): NewEvent {
  const distinction = reference === null ? cause : `${cause} ${reference}`;
  return newEvent(
    'payment.needs_review',
    { ...about(payment, via), distinction },
    { payment: after, cause },
  );
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
  // What a create was refused with is certain. Anything else may be followed by money.
  const wasSent = via !== 'request' && payment.sentAt !== null;
  return {
    via,
    set: { state: 'failed', reason, errors: [...errors], cause: null, causeDetail: null },
    dueInMs: wasSent ? READ_FAILED_MS : null,
    events: (after) => [
      newEvent('payment.failed', about(payment, via), { payment: after, reason, errors }),
    ],
  };
}

/** Its money came and went back: nobody is sent `payment.succeeded` for it any more. */
export function reverse(payment: PaymentRecord, via: Via, transaction: Transaction): PaymentStep {
  return {
    via,
    set: { state: 'reversed', transaction: payment.transaction ?? transaction },
    dueInMs: null,
    events: (after) => [
      newEvent('payment.reversed', about(payment, via), { payment: after, transaction }),
    ],
  };
}

/** One commit: the payment's new state, the money that becomes its own, its events, its timeline. */
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
  payment: Pick<PaymentRecord, 'id' | 'tills'>,
  transaction: Transaction,
  key: MoneyKey,
  known: TransactionRecord | null,
  aliases: TillAliases,
  isReported = true,
): LedgerChange['transaction'] {
  const { id: paymentId } = payment;
  const joined = joinedFor(payment, key.till);
  const { index, before, isNew } = place(known, key, transaction, aliases, joined);
  if ((ownerIdOf(before) ?? paymentId) !== paymentId) return undefined;
  const tills = [...new Set([...tillsSeen(before.tills, key.till, aliases), ...joined])];
  if (!isReported) {
    // What a person named is not what the platform says: amount and time come with its own report.
    const named = isNew ? { ...before, ...NOTHING_KNOWN } : before;
    return writeSum(known, key, index, { ...named, tills, paymentId });
  }
  const shown = shownBy(before, transaction);
  return writeSum(known, key, index, { ...before, ...shown, tills, paymentId });
}

/** Writes that a transaction is the money of a request of the host's own; undefined when it is another's. */
export function bareTieChange(
  bareId: string,
  transaction: Transaction,
  key: MoneyKey,
  known: TransactionRecord | null,
  aliases: TillAliases,
): LedgerChange['transaction'] {
  const { index, before } = place(known, key, transaction, aliases);
  if ((ownerIdOf(before) ?? bareId) !== bareId) return undefined;
  const tills = tillsSeen(before.tills, key.till, aliases);
  return writeSum(known, key, index, { ...before, ...shownBy(before, transaction), tills, bareId });
}

/** What came in and what went back, with what a transaction shows. */
function shownBy(
  before: TransactionSum,
  transaction: Transaction,
): Pick<TransactionSum, 'received' | 'reversal'> {
  const went = movementOf(transaction.status) === 'reversed';
  return {
    received: before.received ?? (went || before.reversal ? null : transaction),
    reversal: before.reversal ?? (went ? transaction : null),
  };
}

/** A transaction of a till as a delivery, a read or a sweep shows it. */
export interface ObservedTransaction {
  via: 'callback' | 'status' | 'webhook' | 'sweep';
  transaction: Transaction;
  reversal: boolean;
  webhookEventId: string | null;
  /** Whether an event is emitted for it, if it is the first time. A payment's own callback or read never emits one. */
  announce: boolean;
}

/**
 * What an observed transaction writes: the first of money received or gone back emits its event, a reversal of a payment's
 * own money reverses the payment. Null when it says nothing new.
 * @param owner the payment whose money it is known to be
 */
export function observedChange(
  account: string,
  key: MoneyKey,
  known: TransactionRecord | null,
  owner: PaymentRecord | null,
  { via, transaction, reversal, webhookEventId, announce }: ObservedTransaction,
  aliases: TillAliases,
): LedgerChange | null {
  const { index, before: kept, isNew } = place(known, key, transaction, aliases);
  const isNamedOnly = kept.received === null && kept.reversal === null;
  // An amount that could not be read was never told: it gives way to the first one that can.
  const isReadAtLast =
    !reversal &&
    kept.received !== null &&
    minorOf(kept.received) === null &&
    minorOf(transaction) !== null;
  const before = {
    ...kept,
    ...((isNamedOnly || isReadAtLast) && factsOf(transaction)),
    ...(isReadAtLast && { received: null }),
  };
  const newId = webhookEventId !== null && !before.webhookEventIds.includes(webhookEventId);
  const after: TransactionSum = {
    ...before,
    tills: tillsSeen(before.tills, key.till, aliases),
    received: before.received ?? (reversal ? null : transaction),
    reversal: before.reversal ?? (reversal ? transaction : null),
    payerHash: before.payerHash ?? payerOf(transaction),
    webhookEventIds: newId ? [...before.webhookEventIds, webhookEventId] : before.webhookEventIds,
    announced: before.announced || (announce && !reversal),
    reversalAnnounced: before.reversalAnnounced || (announce && reversal),
  };
  // A payment may have been shown a second transaction: that one's reversal does not reverse it.
  const isOwn = owner?.transaction?.reference === key.reference;
  const reverses = after.reversal !== null && owner?.state === 'succeeded' && isOwn;
  if (!isNew && !newId && !reverses && isSameSum(before, after)) return null;

  // Reported at two numbers before an alias joined them, it was emitted under one of them already.
  const others = sumsAt(known, after.tills, aliases).filter((sum) => sum !== known?.sums[index]);
  const told = {
    announced: before.announced || others.some(({ announced }) => announced),
    reversalAnnounced:
      before.reversalAnnounced || others.some(({ reversalAnnounced }) => reversalAnnounced),
  };
  const events = tillEvents(account, key, index, told, after, { via, webhookEventId });
  const change = { account, transaction: writeSum(known, key, index, after) };
  if (owner && reverses) {
    const step = reverse(owner, via, after.reversal as Transaction);
    const { payment, events: more, history } = paymentChange(owner, step, undefined);
    return { ...change, payment, events: [...events, ...more], history };
  }
  if (owner?.state === 'needs_review' && after.reversal !== before.reversal) {
    const step = { via, set: {}, note: 'its transaction was reversed during the review' };
    const { payment, history } = paymentChange(owner, step, undefined);
    return { ...change, payment, events, history };
  }
  return { ...change, events, history: [] };
}

function tillEvents(
  account: string,
  key: MoneyKey,
  index: number,
  before: Pick<TransactionSum, 'announced' | 'reversalAnnounced'>,
  after: TransactionSum,
  { via, webhookEventId }: Pick<ObservedTransaction, 'via' | 'webhookEventId'>,
): NewEvent[] {
  const subject = { account, stream: transactionStream(key.reference, index), via };
  const { paymentId, received, reversal } = after;
  const events: NewEvent[] = [];
  if (received && after.announced && !before.announced) {
    const content = { transaction: received, webhookEventId, paymentId };
    events.push(
      newEvent('till.transaction.received', subject, {
        ...content,
        ...(reversal && { reversed: true }),
      }),
    );
  }
  if (reversal && after.reversalAnnounced && !before.reversalAnnounced) {
    const content = { transaction: reversal, webhookEventId, paymentId };
    events.push(newEvent('till.transaction.reversed', subject, content));
  }
  return events;
}

/** What events of a sum are about. It names no till: an alias that changes later must not change it. */
export function transactionStream(reference: string, index: number): string {
  return index === 0 ? `money:${reference}` : `money:${reference}#${index + 1}`;
}

/** Amount in minor units, as text; null when it cannot be read. */
export function minorOf({ amount, currency }: Transaction): string | null {
  return amount !== null && currency !== null
    ? (toMinorUnits(amount, currency)?.toString() ?? null)
    : null;
}

/** The payer as it is compared; null when the transaction shows none. */
export function payerOf({ senderPhoneNumber, hashedSenderPhone }: Transaction): string | null {
  return payerHash({ phoneNumber: senderPhoneNumber, hashedPhone: hashedSenderPhone });
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

/** Where a transaction stands among the sums of its reference, and what is known of it. */
function place(
  known: TransactionRecord | null,
  key: MoneyKey,
  transaction: Transaction,
  aliases: TillAliases,
  joined: readonly string[] = [],
): { index: number; before: TransactionSum; isNew: boolean } {
  const found = sumIndex(known, key.till, aliases, joined);
  const sum = known?.sums[found];
  if (sum) return { index: found, before: sum, isNew: false };
  return { index: known?.sums.length ?? 0, before: firstSum(transaction), isNew: true };
}

function writeSum(
  known: TransactionRecord | null,
  { reference }: MoneyKey,
  index: number,
  sum: TransactionSum,
): NonNullable<LedgerChange['transaction']> {
  const sums = [...(known?.sums ?? [])];
  sums[index] = sum;
  return { reference, version: known?.version ?? null, sums };
}

/** What is kept of a transaction that is seen for the first time, before anything is said of it. */
function firstSum(transaction: Transaction): TransactionSum {
  return {
    tills: [],
    received: null,
    reversal: null,
    webhookEventIds: [],
    paymentId: null,
    bareId: null,
    announced: false,
    reversalAnnounced: false,
    ...factsOf(transaction),
  };
}

/** What can be searched for of a transaction. */
function factsOf(
  transaction: Transaction,
): Pick<TransactionSum, 'originatedAt' | 'currency' | 'amountMinor' | 'payerHash'> {
  return {
    originatedAt: readTimestamp(transaction.originationTime),
    currency: transaction.currency,
    amountMinor: minorOf(transaction),
    payerHash: payerOf(transaction),
  };
}

const NOTHING_KNOWN = {
  originatedAt: null,
  currency: null,
  amountMinor: null,
  payerHash: null,
} as const satisfies ReturnType<typeof factsOf>;

function isSameSum(one: TransactionSum, other: TransactionSum): boolean {
  return (
    one.tills.length === other.tills.length &&
    one.received === other.received &&
    one.reversal === other.reversal &&
    one.payerHash === other.payerHash &&
    one.announced === other.announced &&
    one.reversalAnnounced === other.reversalAnnounced
  );
}
