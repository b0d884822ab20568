import type { LedgerChange } from '../store/ledger.store.js';
import type { NewEvent } from '../store/new-event.js';
import { amountDoubt, changeOf } from '../ledger/decisions.js';
import {
  ledgerChange,
  type OperationChange,
  reverse,
  withoutPersonsIn,
} from '../ledger/operation-changes.js';
import type { Operation } from '../store/operation.js';
import type { OperationKinds } from '../ledger/operation.kind.js';
import {
  isEvidenced,
  movementOf,
  type NamedTransaction,
  type Transaction,
  type TransactionRecord,
  type TransactionSum,
} from '../money/transaction.js';
import type { ObservedTransaction } from '../ledger/arriving-delivery.js';
import { placeOf, withFirstFacts, writeSum } from '../ledger/transaction-changes.js';
import {
  amountsDiffer,
  minorOf,
  type MoneyKey,
  otherAmountBack,
  sumsAt,
  tillsDiffer,
  tillsSeen,
  wentBack,
} from '../money/transaction-sameness.js';
import { evidenceDigest, withDigest } from '../ledger/assessment.js';
import { isDecidable } from '../ledger/operation-states.js';
import type { TillAliases } from '../money/till-number.js';
import { tillEvent } from './tills.events.js';

/** Ids of webhooks that are kept of a sum: one is enough for an SMS notification. */
const MOST_IDS = 20;

/**
 * Returns the change of an observed transaction. The first observation of received money, and of its reversal, emits an event. A reversal of an
 * operation's own transaction reverses the operation. Null when the observation says nothing new.
 * @param owner the operation that the transaction belongs to; `other`: one whose money has the same reference at another till, which nothing joins to
 * this one
 */
export function observedChange(
  key: MoneyKey,
  record: TransactionRecord | null,
  { owner, other = null }: { owner: Operation | null; other?: Operation | null },
  observed: ObservedTransaction,
  aliases: TillAliases,
  kinds: OperationKinds,
): LedgerChange | null {
  const { account, via, transaction, reversal, webhookEventId, announce } = observed;
  const { index, before: known, isNew } = placeOf(record, key, transaction, aliases);
  const before = withFirstFacts(known, transaction, reversal);
  const { webhookEventIds: ids } = before;
  const newId = webhookEventId !== null && ids.length < MOST_IDS && !ids.includes(webhookEventId);
  const received = receivedOf(before.received, transaction, reversal);
  // The platform lists reversed money only as reversed. If its own webhook was lost, nothing else will report that it came.
  const hasSucceeded = owner?.state === 'succeeded' || owner?.state === 'reversed';
  const came = hasSucceeded && received !== null && minorOf(received) !== null;
  // An operation may have a second transaction. The reversal of that one does not reverse the operation.
  const isOwn = owner?.transaction?.reference === key.reference;
  // When the amount of an operation's own money cannot be read, we compare with the amount that the operation asked for.
  const isUnread = received === null || minorOf(received) === null;
  const money = isOwn && isUnread ? owner.transaction : received;
  const after: TransactionSum = {
    ...before,
    tills: tillsSeen(before.tills, key.till, aliases),
    received,
    ...reversalOf(before, reversal ? transaction : null, money),
    ...(newId && withWebhook(before, webhookEventId, observed.webhookDeliveryId)),
    announced: before.announced || (announce && (!reversal || came)),
    reversalAnnounced: before.reversalAnnounced || (announce && reversal),
  };
  const isWhole = after.reversal !== null && wentBack(after.reversal, money) === 'all';
  const reverses =
    after.reversal !== null && isWhole && owner?.state === 'succeeded' && isOwn
      ? { ...after.reversal, reference: key.reference }
      : null;
  const subject = owner ?? (isNew ? other : null);
  const doubt = owner
    ? isOwn && doubtOf(owner, known, observed, money)
    : subject && doubtOfTill(subject, key);
  const decided =
    subject &&
    ((doubt && doubted(subject, via, doubt)) ??
      (owner && ownersChange(owner, via, reverses, before, after)));
  const change = decided && subject.redacted ? withoutPersonsIn(decided) : decided;
  if (!isNew && !newId && !change && isSameSum(before, after)) return null;

  // The transaction may be recorded at two till numbers that an alias joins now: then one of the two has emitted its event.
  const others = sumsAt(record, after.tills, aliases).filter((sum) => sum !== record?.sums[index]);
  const emitted = {
    announced: before.announced || others.some(({ announced }) => announced),
    reversalAnnounced:
      before.reversalAnnounced || others.some(({ reversalAnnounced }) => reversalAnnounced),
  };
  const written = writeSum(record, key, index, after);
  // The sum names nobody where the record is redacted, so its events name nobody either.
  const kept = written.sums[index] as TransactionSum;
  const events = eventsOf(account, key, index, emitted, kept, observed);
  if (!subject || !change) return { account, transaction: written, events, history: [] };
  const kind = kinds.kind(subject);
  const subjectAfter = { ...subject, ...change.set };
  const more = kind.events(subject, subjectAfter, change);
  const totals = kind.totals(subject, subjectAfter, via);
  return ledgerChange(subject, change, [...events, ...more], totals, written);
}

function withWebhook(
  { webhookEventIds, webhookDeliveryIds }: TransactionSum,
  eventId: string,
  deliveryId: string | undefined,
): Pick<TransactionSum, 'webhookEventIds' | 'webhookDeliveryIds'> {
  return {
    webhookEventIds: [...webhookEventIds, eventId],
    webhookDeliveryIds:
      deliveryId === undefined ? webhookDeliveryIds : [...webhookDeliveryIds, deliveryId],
  };
}

/**
 * The first report stays. A payment's own result does not say the kind of its money: a webhook or a list adds it, also that of its reversal. A
 * later report may have the status that proves the money also to a payment, where the host has accepted another word.
 */
function receivedOf(
  earlier: Transaction | null,
  shown: Transaction,
  isReversal: boolean,
): Transaction | null {
  if (!earlier) return isReversal ? null : shown;
  const kind = earlier.kind ?? shown.kind;
  const isProven =
    isReversal || movementOf(earlier.status) !== null || movementOf(shown.status) !== 'received';
  const status = isProven ? earlier.status : shown.status;
  return kind === earlier.kind && status === earlier.status
    ? earlier
    : { ...earlier, kind, status };
}

/**
 * The first report of a reversal stays, unless a later one says more: all of the money after a part of it, an amount after one that cannot be read, and the
 * platform's own report after that of our refund, of which only reference, till and amount are known.
 */
function reversalOf(
  { reversal: earlier, hasOtherPart = false }: TransactionSum,
  shown: Transaction | null,
  money: Transaction | null,
): Pick<TransactionSum, 'reversal' | 'hasOtherPart'> {
  if (!earlier || !shown)
    return { reversal: earlier ?? shown, ...(hasOtherPart && { hasOtherPart }) };
  const [known, now] = [wentBack(earlier, money), wentBack(shown, money)];
  const saysMore =
    now === 'all' ? known !== 'all' || !isEvidenced(earlier) : known === null && now !== null;
  return {
    reversal: saysMore ? shown : earlier,
    ...((hasOtherPart || isOtherPart(earlier, shown, money)) && { hasOtherPart: true }),
  };
}

/** True when a second report is of another part of the money than the first one. */
function isOtherPart(earlier: Transaction, shown: Transaction, money: Transaction | null): boolean {
  const [known, now] = [wentBack(earlier, money), wentBack(shown, money)];
  const areParts = known !== 'all' && known !== null && now !== 'all' && now !== null;
  return areParts && !isSameAmount(earlier, shown);
}

function isSameAmount(one: Transaction, other: Transaction): boolean {
  return one.currency === other.currency && minorOf(one) === minorOf(other);
}

/** A contradiction between a report and the known money of an operation. */
interface Doubt {
  cause: 'reports_differ' | 'other_amount_reversed';
  detail: string;
  /** We recognise the doubt by this digest after a person has judged it. */
  digest: string;
  /** See `Review`. */
  otherPart?: string;
}

/**
 * Finds the contradiction between the own result of an operation, or the reference that a person named, and a report of that reference at another
 * till; null when there is none.
 */
function doubtOfTill(
  { transaction: own, decided }: Operation,
  { till, reference }: MoneyKey,
): Doubt | null {
  const ownTill = own?.tillNumber?.trim();
  if (own?.reference !== reference || !ownTill) return null;
  if (own.provenance !== 'operation' && !(decided && !isEvidenced(own))) return null;
  const cause = 'reports_differ';
  const detail = tillsDiffer(own, ownTill, till);
  return { cause, detail, digest: evidenceDigest(cause, reference, till) };
}

/** Finds the contradiction between a report and the own money of an operation; null when there is none. */
function doubtOf(
  owner: Operation,
  { received, reversal }: TransactionSum,
  { transaction, reversal: isReversal }: ObservedTransaction,
  money: Transaction | null,
): Doubt | null {
  const reference = owner.transaction?.reference;
  const digestOf = (cause: Doubt['cause']): string =>
    evidenceDigest(cause, reference, transaction.currency, minorOf(transaction));
  if (isReversal) {
    if (!money || !isEvidenced(transaction) || wentBack(transaction, money) === 'all') return null;
    // The till reports the rest, which we had sent back ourselves after a part of the money.
    if (reversal && !isEvidenced(reversal) && isSameAmount(reversal, transaction)) return null;
    const isOther = reversal !== null && isOtherPart(reversal, transaction, money);
    const otherPart = isOther ? minorOf(transaction) : null;
    const cause = 'other_amount_reversed';
    const detail = otherAmountBack(reference, money, transaction);
    return { cause, detail, digest: digestOf(cause), ...(otherPart !== null && { otherPart }) };
  }
  const difference = received && amountsDiffer(reference, received, transaction);
  if (difference === null) return null;
  const cause = 'reports_differ';
  return { cause, detail: difference, digest: digestOf(cause) };
}

/**
 * An operation without an outcome goes to review; one with an outcome keeps it, and its event names the doubt. Null where a person has
 * judged it, or it was reported before.
 */
function doubted(
  owner: Operation,
  via: ObservedTransaction['via'],
  doubt: Doubt,
): OperationChange | null {
  const { cause, detail, digest, otherPart } = doubt;
  const { evidence, decided, state, transaction } = owner;
  if (decided && evidence.includes(digest)) return null;
  const kind = isDecidable(owner) ? 'review' : 'contradict';
  if (kind === 'contradict' && state === 'failed') return null;
  const reference = transaction?.reference ?? null;
  const change = changeOf(owner, via, { kind, cause, detail, reference, transaction: null }, 0);
  if (!change?.review) return change;
  return {
    ...change,
    set: {
      ...change.set,
      evidence: evidence.includes(digest) ? evidence : withDigest(evidence, digest),
    },
    review: {
      ...change.review,
      evidence: digest,
      ...(otherPart !== undefined && { otherPart }),
    },
  };
}

/** Returns the change of the operation that the transaction belongs to; null when there is none. */
function ownersChange(
  owner: Operation,
  via: ObservedTransaction['via'],
  reverses: NamedTransaction | null,
  before: TransactionSum,
  after: TransactionSum,
): OperationChange | null {
  if (reverses) return reverse(owner, via, reverses);
  const corrected = correction(owner, via, before, after);
  if (corrected) return corrected;
  if (owner.state === 'needs_review' && after.reversal !== before.reversal)
    return { via, set: {}, note: 'its transaction was reversed during the review' };
  return null;
}

/**
 * Corrects an operation of whose money we knew only the reference, and took the amount from the request, with the till's report: the state
 * stays, and a person is asked. Null where the till reports the requested amount.
 */
function correction(
  owner: Operation,
  via: ObservedTransaction['via'],
  before: TransactionSum,
  { received }: TransactionSum,
): OperationChange | null {
  const { state, transaction: own } = owner;
  if (before.received || !received || minorOf(received) === null) return null;
  if (!own || isEvidenced(own) || (state !== 'succeeded' && state !== 'needs_review')) return null;
  const detail = amountDoubt(owner, received);
  if (detail === null) return null;
  const { reference } = own;
  const doubt = { kind: 'contradict', cause: 'amount_mismatch', detail, reference } as const;
  const change = changeOf(owner, via, { ...doubt, transaction: null }, 0);
  const shown: Transaction = { ...received, reference };
  return change && { ...change, set: { ...change.set, transaction: shown } };
}

function eventsOf(
  account: string,
  key: MoneyKey,
  index: number,
  before: Pick<TransactionSum, 'announced' | 'reversalAnnounced'>,
  after: TransactionSum,
  { via, webhookEventId, reversal: isReversal }: ObservedTransaction,
): NewEvent[] {
  const subject = { account, stream: transactionStream(key.reference, index), via };
  const { paymentId, paymentLinkId, received, reversal } = after;
  const events: NewEvent[] = [];
  if (received && after.announced && !before.announced) {
    events.push(
      tillEvent('till.transaction.received', subject, {
        transaction: received,
        webhookEventId: isReversal ? null : webhookEventId,
        paymentId,
        paymentLinkId,
        ...(reversal && { reversed: true }),
      }),
    );
  }
  if (reversal && after.reversalAnnounced && !before.reversalAnnounced) {
    const content = { transaction: reversal, webhookEventId, paymentId, paymentLinkId };
    events.push(tillEvent('till.transaction.reversed', subject, content));
  }
  return events;
}

/**
 * Returns the event stream of a sum. It contains no till number, because a changed alias must not change it. A `#` of the reference is doubled, so
 * that `X#2` is not the second sum of `X`.
 */
export function transactionStream(reference: string, index: number): string {
  const name = `money:${reference.replaceAll('#', '##')}`;
  return index === 0 ? name : `${name}#${index + 1}`;
}

/** Returns the transaction that a stream is about; null when it is the stream of something else. */
export function transactionOfStream(stream: string): { reference: string; index: number } | null {
  const [, reference, number] = /^money:((?:[^#]|##)+)(?:#(\d+))?$/s.exec(stream) ?? [];
  if (reference === undefined) return null;
  return { reference: reference.replaceAll('##', '#'), index: Number(number ?? 1) - 1 };
}

function isSameSum(one: TransactionSum, other: TransactionSum): boolean {
  return (
    one.tills.length === other.tills.length &&
    one.received === other.received &&
    one.reversal === other.reversal &&
    one.hasOtherPart === other.hasOtherPart &&
    one.payerHash === other.payerHash &&
    one.announced === other.announced &&
    one.reversalAnnounced === other.reversalAnnounced
  );
}
