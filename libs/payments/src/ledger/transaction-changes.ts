import { isCurrency } from '../money/money.js';
import { payerHash } from '../money/phone-number.js';
import type { TillAliases } from '../money/till-number.js';
import { readTimestamp } from '../money/timestamp.js';
import {
  joinedFor,
  minorOf,
  type MoneyKey,
  sumIndex,
  tillsSeen,
} from '../money/transaction-sameness.js';
import {
  isEvidenced,
  movementOf,
  ownedBy,
  ownerIdOf,
  type Transaction,
  type TransactionChange,
  type TransactionRecord,
  type TransactionSum,
} from '../money/transaction.js';
import { sumWithoutPerson } from '../store/redaction.js';
import type { UntiedQuery } from '../store/transactions.store.js';
import { movementTotals } from './movement-totals.js';

/**
 * Returns the change that ties a transaction to an operation; undefined when the transaction belongs to another owner. The change also writes a tie
 * that exists, so that the commit fails if the transaction was reversed after it was assessed.
 */
export function tieChange(
  operation: { kind: string; id: string; tills: readonly string[]; redacted: boolean },
  transaction: Transaction,
  key: MoneyKey,
  record: TransactionRecord | null,
  aliases: TillAliases,
): TransactionChange | undefined {
  // Money that was not known before is of the person who was redacted.
  const redacted = record ? record.redacted : operation.redacted;
  const joined = joinedFor(operation, key.till);
  const { index, before, isNew } = placeOf(record, key, transaction, aliases, joined);
  if ((ownerIdOf(before) ?? operation.id) !== operation.id) return undefined;
  const tills = [...new Set([...tillsSeen(before.tills, key.till, aliases), ...joined])];
  if (!isEvidenced(transaction)) {
    // Only its reference is known: amount and time follow when its till reports it.
    const named = isNew ? { ...before, ...NOTHING_KNOWN } : before;
    return writeSum(record, key, index, { ...named, tills, ...ownedBy(operation) }, redacted);
  }
  const shown = shownBy(before, transaction);
  return writeSum(record, key, index, { ...shown, tills, ...ownedBy(operation) }, redacted);
}

/** Returns the change that ties a transaction to a bare request of the host; undefined when it belongs to another owner. */
export function bareTieChange(
  bareId: string,
  transaction: Transaction,
  key: MoneyKey,
  record: TransactionRecord | null,
  aliases: TillAliases,
): TransactionChange | undefined {
  const { index, before } = placeOf(record, key, transaction, aliases);
  if ((ownerIdOf(before) ?? bareId) !== bareId) return undefined;
  const tills = tillsSeen(before.tills, key.till, aliases);
  return writeSum(record, key, index, { ...shownBy(before, transaction), tills, bareId });
}

/** Returns a sum with what an owner's transaction shows: that the money came, or that it went back. */
function shownBy(kept: TransactionSum, transaction: Transaction): TransactionSum {
  const movement = movementOf(transaction.status);
  // A person may tie a known reversal, and that may have no status.
  const isReversal = movement === 'reversed' || (kept.reversal !== null && movement === null);
  const before = withFirstFacts(kept, transaction, isReversal);
  return isReversal
    ? { ...before, reversal: before.reversal ?? transaction }
    : { ...before, received: before.received ?? transaction };
}

/**
 * Fills in amount, time and payer from the first report that has them: a person may have named only the reference, the amount may have been
 * unreadable, or the reversal may have come first.
 */
export function withFirstFacts(
  kept: TransactionSum,
  transaction: Transaction,
  reversal: boolean,
): TransactionSum {
  const isNamedOnly = kept.received === null && kept.reversal === null;
  const isReadAtLast =
    !reversal &&
    kept.received !== null &&
    minorOf(kept.received) === null &&
    minorOf(transaction) !== null;
  // A reversal that came first may be of another amount.
  const isReceivedAtLast = !reversal && kept.received === null && minorOf(transaction) !== null;
  const shown = factsOf(transaction);
  // A report without a readable time does not take the time of another one.
  const facts = { ...shown, originatedAt: shown.originatedAt ?? kept.originatedAt };
  return {
    ...kept,
    ...((isNamedOnly || isReadAtLast || isReceivedAtLast) && facts),
    payerHash: kept.payerHash ?? facts.payerHash,
    ...(isReadAtLast && { received: null }),
  };
}

/** Returns the index of a transaction among the sums of its reference, and the sum as it is known; a new sum when there is none. */
export function placeOf(
  record: TransactionRecord | null,
  key: MoneyKey,
  transaction: Transaction,
  aliases: TillAliases,
  joined: readonly string[] = [],
): { index: number; before: TransactionSum; isNew: boolean } {
  const found = sumIndex(record, key.till, aliases, joined);
  const sum = record?.sums[found];
  if (sum) return { index: found, before: sum, isNew: false };
  return { index: record?.sums.length ?? 0, before: firstSum(transaction), isNew: true };
}

/** @param redacted whether nothing of the record names a person; absent: as it was */
export function writeSum(
  record: TransactionRecord | null,
  { reference }: MoneyKey,
  index: number,
  sum: TransactionSum,
  redacted = record?.redacted ?? false,
): TransactionChange {
  const sums = [...(record?.sums ?? [])];
  const createdAt = record?.createdAt;
  const totals = movementTotals(sums[index] ?? null, sum, createdAt ?? null);
  sums[index] = redacted ? sumWithoutPerson(sum) : sum;
  const version = record?.version ?? null;
  return {
    reference,
    version,
    sums,
    totals,
    ...(createdAt && { createdAt }),
    ...(redacted && { redacted }),
  };
}

/**
 * Returns the fields of a received transaction that the platform sent and that cannot be read, or that it did not send, by their names on the wire.
 */
export function unreadFields(transaction: Transaction): string[] {
  const { amount, currency, originationTime, tillNumber } = transaction;
  const isKnown = isCurrency(currency);
  return [
    ...(isKnown ? [] : ['currency']),
    ...(amount === null || (isKnown && minorOf(transaction) === null) ? ['amount'] : []),
    ...(originationTime === null ? ['origination_time'] : []),
    ...(tillNumber?.trim() ? [] : ['till_number']),
  ];
}

/** Returns the `payerHash` of a transaction; null when it shows no readable payer. */
export function payerOf({ senderPhoneNumber, hashedSenderPhone }: Transaction): string | null {
  return payerHash({ phoneNumber: senderPhoneNumber, hashedPhone: hashedSenderPhone });
}

/** Returns the fields by which a transaction is searched for. */
function factsOf(
  transaction: Transaction,
): Pick<TransactionSum, 'originatedAt' | 'currency' | 'amountMinor' | 'payerHash'> {
  return {
    originatedAt: readTimestamp(transaction.originationTime),
    currency: isCurrency(transaction.currency) ? transaction.currency : null,
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

/** Returns the sum of a transaction that is observed for the first time. */
function firstSum(transaction: Transaction): TransactionSum {
  return {
    tills: [],
    received: null,
    reversal: null,
    webhookEventIds: [],
    webhookDeliveryIds: [],
    paymentId: null,
    paymentLinkId: null,
    bareId: null,
    announced: false,
    reversalAnnounced: false,
    ...factsOf(transaction),
  };
}

/**
 * Returns, of the records that `findUntied` found, the money whose payer is the one of the query, that came to one of some tills, and that belongs to
 * nobody. It is named by its reference and the number of its till.
 */
export function unownedAmong(
  records: readonly TransactionRecord[],
  { payerHash, amountMinor }: Pick<UntiedQuery, 'payerHash' | 'amountMinor'>,
  isAtTill: (till: string) => boolean,
): { reference: string; till: string }[] {
  return records.flatMap(({ reference, sums }) =>
    sums.flatMap((sum) => {
      const isLike =
        sum.received !== null &&
        ownerIdOf(sum) === null &&
        sum.payerHash === payerHash &&
        sum.amountMinor === amountMinor;
      const till = isLike ? sum.tills.find(isAtTill) : undefined;
      return till === undefined ? [] : [{ reference, till }];
    }),
  );
}
