import { phoneHash } from '../money/phone-number.js';
import { ownerIdOf, type TransactionSum } from '../money/transaction.record.js';
import type { TransactionFilter } from './transactions.store.js';

/** Whether a sum is what a filter asks for, apart from its reference and its time, which are those of its record. */
export function isSumListed(sum: TransactionSum, filter: TransactionFilter): boolean {
  const { tillNumber, phoneNumber, matched, reported, reversed } = filter;
  const isMatched = ownerIdOf(sum) !== null;
  return (
    (tillNumber === undefined || sum.tills.includes(tillNumber)) &&
    (phoneNumber === undefined || sum.payerHash === phoneHash(phoneNumber)) &&
    (matched === undefined || (matched ? isMatched : sum.received !== null && !isMatched)) &&
    (reported === undefined || (sum.received !== null && sum.announced === reported)) &&
    (reversed === undefined || (sum.reversal !== null) === reversed) &&
    isOfAmount(sum, filter) &&
    (filter.name === undefined || isOfPayer(sum, filter.name))
  );
}

function isOfAmount(
  { received, reversal }: TransactionSum,
  { amountFrom, amountTo }: TransactionFilter,
): boolean {
  if (amountFrom === undefined && amountTo === undefined) return true;
  const amount = (received ?? reversal)?.amount ?? null;
  if (amount === null || !/^\d+(\.\d+)?$/.test(amount)) return false;
  return (
    Number(amount) >= Number(amountFrom ?? 0) && Number(amount) <= Number(amountTo ?? Infinity)
  );
}

function isOfPayer({ received, reversal }: TransactionSum, name: string): boolean {
  const payer = received ?? reversal;
  const names = [payer?.senderFirstName, payer?.senderMiddleName, payer?.senderLastName];
  return ['', ...names].join(' ').toLowerCase().includes(` ${name.trim().toLowerCase()}`);
}
