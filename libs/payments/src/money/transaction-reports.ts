import { fromMinorUnits, toMinorUnits } from './money.js';
import { phoneHash, isPhoneNumber } from './phone-number.js';
import { readTimestamp } from './timestamp.js';
import { isEvidenced, type Transaction } from './transaction.js';

/** Reports of one money are of one time. A reference that comes again much later is of another money. */
const SAME_MONEY_WITHIN_MS = 86_400_000;

/** The amount of a report in minor units, as text; null when it is unreadable. */
export function minorOf({ amount, currency }: Transaction): string | null {
  return amount !== null && currency !== null
    ? (toMinorUnits(amount, currency)?.toString() ?? null)
    : null;
}

/**
 * Whether two reports of one money name another amount or currency. What is absent or cannot be read differs from nothing, and what we filled in
 * from the request is no report.
 */
export function reportsDiffer(one: Transaction, other: Transaction): boolean {
  if (!isEvidenced(one) || !isEvidenced(other)) return false;
  const [minor, otherMinor] = [minorOf(one), minorOf(other)];
  if (minor === null || otherMinor === null) return false;
  return one.currency !== other.currency || minor !== otherMinor;
}

/** Whether a reference was used for a second money: two payers that can be read as numbers, or more than a day between two times. */
export function isUsedAgain(one: Transaction, other: Transaction): boolean {
  const [payer, otherPayer] = [numberOf(one), numberOf(other)];
  if (payer !== null && otherPayer !== null && payer !== otherPayer) return true;
  const [at, otherAt] = [readTimestamp(one.originationTime), readTimestamp(other.originationTime)];
  if (!at || !otherAt) return false;
  return Math.abs(at.getTime() - otherAt.getTime()) > SAME_MONEY_WITHIN_MS;
}

/** In what two reports of one money differ, for people; null when they do not. */
export function amountsDiffer(
  reference: string | null | undefined,
  one: Transaction,
  other: Transaction,
): string | null {
  if (isUsedAgain(one, other) || !reportsDiffer(one, other)) return null;
  return `transaction ${reference} was reported with ${amountIn(one)}, and with ${amountIn(other)}`;
}

/** That another amount than all of some money went back, for people. */
export function otherAmountBack(
  reference: string | null | undefined,
  money: Transaction,
  reversal: Transaction,
): string {
  return `transaction ${reference} is of ${amountIn(money)}, and a reversal of ${amountIn(reversal)} was reported`;
}

/**
 * What a reversal says that went back: all of the money, where it names no amount or the same; else minor units as text, or null where its amount
 * cannot be read.
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

/** The amount of a report in words, one text for one amount: as the platform wrote it where it cannot be read. */
export function amountIn(transaction: Transaction): string {
  const { amount, currency, raw } = transaction;
  const minor = minorOf(transaction);
  if (minor !== null && currency !== null)
    return `${fromMinorUnits(BigInt(minor), currency)} ${currency}`;
  const written = raw['amount'];
  const value = amount ?? (typeof written === 'string' ? written.slice(0, 40) : 'unreadable');
  return currency === null ? value : `${value} ${currency}`;
}
