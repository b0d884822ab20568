import type { Transaction } from '../resources/transaction.resource.js';
import { isSameTill, joinedTills, type TillAliases } from '../values/till-number.js';

/** What names money in what the platform sends: its reference, and the till as it was written there. */
export interface MoneyKey {
  reference: string;
  till: string;
}

/** A transaction of a till, with every webhook that reported it and the payment it belongs to. @publicApi */
export interface TillTransaction extends Transaction {
  /** Ids of the webhook events that reported it: what an SMS notification refers to. */
  webhookEventIds: readonly string[];
  /** The payment of ours whose money it is; null when it is none's, or not known to be. */
  paymentId: string | null;
  reversed: boolean;
}

/** One sum of money: what came in, and what went back, in one place, so that neither can miss the other. */
export interface TransactionSum {
  /** Every number of the till, as seen or as joined by aliases when it was seen. The first is the one it was first seen at. */
  readonly tills: readonly string[];
  /** What was received; null while only its reversal is known. */
  readonly received: Transaction | null;
  readonly reversal: Transaction | null;
  readonly webhookEventIds: readonly string[];
  readonly paymentId: string | null;
  /** The request of the host's own whose money it is, by the id in its callback URL; null when it is none's. */
  readonly bareId: string | null;
  /** Whether `till.transaction.received` was emitted for it. */
  readonly announced: boolean;
  /** Whether `till.transaction.reversed` was emitted for it. */
  readonly reversalAnnounced: boolean;
  /** When it originated, as the platform says; null when that cannot be read. */
  readonly originatedAt: Date | null;
  readonly currency: string | null;
  /** Amount in minor units, as text; null when unreadable. */
  readonly amountMinor: string | null;
  /** Its payer, see `payerHash`; null when the platform shows none. */
  readonly payerHash: string | null;
}

/**
 * Everything known under one reference of an account. It is one sum, unless the reference was seen at two tills that no
 * alias joins. Changed as a whole, by compare-and-set.
 */
export interface TransactionRecord {
  readonly account: string;
  readonly reference: string;
  readonly version: number;
  readonly sums: readonly TransactionSum[];
  readonly createdAt: Date;
}

/** The key of a transaction; null when it names neither a reference nor an id, or no till. */
export function moneyKey(transaction: Transaction): MoneyKey | null {
  const reference = transaction.reference ?? (transaction.id ? `id:${transaction.id}` : null);
  const till = transaction.tillNumber?.trim();
  return reference && till ? { reference, till } : null;
}

/**
 * Which sum of a record the money at a till is: the one that lists the till, else the one that an alias joins it to, else
 * the one at another of these numbers, which are one till for somebody; -1 for none.
 */
export function sumIndex(
  record: Pick<TransactionRecord, 'sums'> | null,
  till: string,
  aliases: TillAliases,
  joined: readonly string[] = [],
): number {
  const sums = record?.sums ?? [];
  const listed = sums.findIndex(({ tills }) => tills.includes(till));
  if (listed >= 0) return listed;
  const byAlias = sums.findIndex(({ tills }) => isSameTill(till, tills, aliases));
  return byAlias >= 0 ? byAlias : sums.findIndex((sum) => isAtOneOf(sum, joined));
}

/** Every sum of a record at one of some numbers, or at a number that today's aliases join to one. */
export function sumsAt(
  record: Pick<TransactionRecord, 'sums'> | null,
  tills: readonly string[],
  aliases: TillAliases,
): TransactionSum[] {
  return (record?.sums ?? []).filter((sum) =>
    sum.tills.some((till) => isSameTill(till, tills, aliases)),
  );
}

/** Whose money it is: a payment's or a request's of the host's own. */
export function ownerIdOf({ paymentId, bareId }: TransactionSum): string | null {
  return paymentId ?? bareId;
}

/** Who else than a payment owns one of some sums, in words; null when nobody does. */
export function ownerAmong(sums: readonly TransactionSum[], id: string): string | null {
  const sum = sums.find((each) => (ownerIdOf(each) ?? id) !== id);
  if (!sum) return null;
  return sum.paymentId ? `payment ${sum.paymentId}` : `a request of your own, ${sum.bareId}`;
}

/** The numbers that are one till with a number for a payment, since it was recorded: the number alone where it is not its till. */
export function joinedFor(
  { tills }: { tills: readonly string[] },
  till: string,
): readonly string[] {
  return tills.includes(till) ? tills : [till];
}

export function isAtOneOf(
  { tills }: Pick<TransactionSum, 'tills'>,
  numbers: readonly string[],
): boolean {
  return tills.some((till) => numbers.includes(till));
}

/** The sum that a transaction is, if its record has it. */
export function sumOf(
  record: Pick<TransactionRecord, 'sums'> | null,
  key: MoneyKey,
  aliases: TillAliases,
): TransactionSum | null {
  return record?.sums[sumIndex(record, key.till, aliases)] ?? null;
}

/** The numbers of a till as they are kept with money that is seen there now. */
export function tillsSeen(known: readonly string[], till: string, aliases: TillAliases): string[] {
  return [...new Set([...known, ...joinedTills(till, aliases)])];
}

export function toTillTransaction(sum: TransactionSum): TillTransaction | null {
  const transaction = sum.received ?? sum.reversal;
  if (!transaction) return null;
  const { webhookEventIds, paymentId } = sum;
  return { ...transaction, webhookEventIds, paymentId, reversed: sum.reversal !== null };
}
