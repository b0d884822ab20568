import { fromMinorUnits, toMinorUnits } from './money.js';
import { isPhoneNumber, phoneHash } from './phone-number.js';
import { isSameTill, joinedTills, type TillAliases } from './till-number.js';
import { readTimestamp } from './timestamp.js';
import {
  isEvidenced,
  ownerIdOf,
  type Transaction,
  type TransactionRecord,
  type TransactionSum,
} from './transaction.js';

/** A transaction is identified by its reference and by the till number as the platform wrote it. */
export interface MoneyKey {
  reference: string;
  till: string;
}

/** Returns the key of a transaction; null when it has neither reference nor id, or has no till. */
export function moneyKey(transaction: Transaction): MoneyKey | null {
  const reference = nameOf(transaction);
  const till = transaction.tillNumber?.trim();
  return reference && till ? { reference, till } : null;
}

/** Returns the reference of a transaction, else its id as `id:<id>`. Two contradictions about two transactions differ by this name. */
export function nameOf({ reference, id }: Pick<Transaction, 'reference' | 'id'>): string | null {
  return reference ?? (id ? `id:${id}` : null);
}

/**
 * Returns the index of the sum at a till; -1 when the record has none. First the sum that lists the till number, then one that an alias joins to it,
 * then one at a number in `joined`: numbers that are one till for some operation.
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

/** Sums under one reference. There are two where an alias is missing; every change writes all of them. */
const MOST_SUMS = 20;

/** True when a record has no room for a sum at one more till. */
export function isCrowded(
  record: Pick<TransactionRecord, 'sums'> | null,
  key: MoneyKey,
  aliases: TillAliases,
): boolean {
  return (record?.sums.length ?? 0) >= MOST_SUMS && sumIndex(record, key.till, aliases) < 0;
}

/** Returns the sum of a transaction in its record; null when the record does not have it. */
export function sumOf(
  record: Pick<TransactionRecord, 'sums'> | null,
  key: MoneyKey,
  aliases: TillAliases,
): TransactionSum | null {
  return record?.sums[sumIndex(record, key.till, aliases)] ?? null;
}

/** Returns all sums of a record at one of these till numbers, or at a number that today's aliases join to one of them. */
export function sumsAt(
  record: Pick<TransactionRecord, 'sums'> | null,
  tills: readonly string[],
  aliases: TillAliases,
): TransactionSum[] {
  return (record?.sums ?? []).filter((sum) =>
    sum.tills.some((till) => isSameTill(till, tills, aliases)),
  );
}

/** Names the first owner of these sums that is not the operation, for an error text; null when there is none. */
export function ownerAmong(sums: readonly TransactionSum[], id: string): string | null {
  const sum = sums.find((each) => (ownerIdOf(each) ?? id) !== id);
  if (!sum) return null;
  if (sum.paymentId) return `payment ${sum.paymentId}`;
  if (sum.paymentLinkId) return `payment link ${sum.paymentLinkId}`;
  return `a request of your own, ${sum.bareId}`;
}

/** Returns all numbers of an operation's till, if the given number is one of them; else the given number alone. */
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

/** Returns the till numbers to store with a sum that is observed at a till now. */
export function tillsSeen(
  numbers: readonly string[],
  till: string,
  aliases: TillAliases,
): string[] {
  return [...new Set([...numbers, ...joinedTills(till, aliases)])];
}

/** Says to people that one transaction was reported at two tills, or was named by a person for one and reported at the other. */
export function tillsDiffer(
  { reference, provenance }: Pick<Transaction, 'reference' | 'provenance'>,
  one: string,
  other: string,
): string {
  const first =
    provenance === 'request'
      ? `named by a person for till ${one}, and reported`
      : `reported at till ${one}, and`;
  return `transaction ${reference} was ${first} at till ${other}; if both are one till, set PAYMENTS_TILL_ALIASES=${aliasFor(other, one)}`;
}

/** Returns the alias that would join two till numbers, for `PAYMENTS_TILL_ALIASES`. A number with K is the alias of one without. */
export function aliasFor(one: string, other: string): string {
  return other.startsWith('K') && !one.startsWith('K') ? `${other}=${one}` : `${one}=${other}`;
}

/** Reports of one money are of one time. A reference that comes again much later is of another money. */
const SAME_MONEY_WITHIN_MS = 86_400_000;

/** Returns the amount of a report in minor units, as text; null when it is unreadable. */
export function minorOf({ amount, currency }: Transaction): string | null {
  return amount !== null && currency !== null
    ? (toMinorUnits(amount, currency)?.toString() ?? null)
    : null;
}

/**
 * True when two reports of one money name another amount or currency. A value that is absent or cannot be read differs from nothing, and
 * what we filled in from the request is no report.
 */
export function reportsDiffer(one: Transaction, other: Transaction): boolean {
  if (!isEvidenced(one) || !isEvidenced(other)) return false;
  const [minor, otherMinor] = [minorOf(one), minorOf(other)];
  if (minor === null || otherMinor === null) return false;
  return one.currency !== other.currency || minor !== otherMinor;
}

/**
 * True when a reference was used for a second money: its reports have two payers that can be read as numbers, or two times more than a day
 * apart.
 */
export function isUsedAgain(one: Transaction, other: Transaction): boolean {
  const [payer, otherPayer] = [numberOf(one), numberOf(other)];
  if (payer !== null && otherPayer !== null && payer !== otherPayer) return true;
  const [at, otherAt] = [readTimestamp(one.originationTime), readTimestamp(other.originationTime)];
  if (!at || !otherAt) return false;
  return Math.abs(at.getTime() - otherAt.getTime()) > SAME_MONEY_WITHIN_MS;
}

/** Says to people how two reports of one money differ; null when they do not. */
export function amountsDiffer(
  reference: string | null | undefined,
  one: Transaction,
  other: Transaction,
): string | null {
  if (isUsedAgain(one, other) || !reportsDiffer(one, other)) return null;
  return `transaction ${reference} was reported with ${amountIn(one)}, and with ${amountIn(other)}`;
}

/** Says to people that another amount than all of some money went back. */
export function otherAmountBack(
  reference: string | null | undefined,
  money: Transaction,
  reversal: Transaction,
): string {
  return `transaction ${reference} is of ${amountIn(money)}, and a reversal of ${amountIn(reversal)} was reported`;
}

/**
 * Says how much went back by a reversal: `all` of the money, when it names no amount or the same one; else minor units as text, or null
 * when its amount cannot be read.
 */
export function wentBack(reversal: Transaction, money: Transaction | null): string | null {
  if (!money || !namesAmount(reversal)) return 'all';
  const currency = reversal.currency ?? money.currency;
  const minor = minorOf({ ...reversal, currency });
  return minor !== null && currency === money.currency && minor === minorOf(money) ? 'all' : minor;
}

function namesAmount({ provenance, amount, raw }: Transaction): boolean {
  const written = raw['amount'] ?? '';
  return provenance !== 'request' && (amount !== null || written !== '');
}

function numberOf({ senderPhoneNumber }: Transaction): string | null {
  return senderPhoneNumber && isPhoneNumber(senderPhoneNumber)
    ? phoneHash(senderPhoneNumber)
    : null;
}

/** Returns the amount of a report in words, one text for one amount: as the platform wrote it where it cannot be read. */
export function amountIn(transaction: Transaction): string {
  const { amount, currency, raw } = transaction;
  const minor = minorOf(transaction);
  if (minor !== null && currency !== null)
    return `${fromMinorUnits(BigInt(minor), currency)} ${currency}`;
  const written = raw['amount'];
  const value = amount ?? (typeof written === 'string' ? written.slice(0, 40) : 'unreadable');
  return currency === null ? value : `${value} ${currency}`;
}
