import { isInReview } from '../ledger/operation-states.js';
import { phoneHash } from '../money/phone-number.js';
import { payerHashOf, type OperationRecord } from '../operations/operation-forms.js';
import { isPayment } from '../operations/payments/payment.js';
import { isRefund } from '../operations/refunds/refund.js';
import type { OperationFilter } from '../store/operations.store.js';
import { type Page, type PageRequest, wordsOf } from '../store/transactions.store.js';

/** Keyset pagination: newest first unless another order is asked for, by time and then by a unique text. */
export function pageOf<T>(
  found: readonly T[],
  { limit, after }: PageRequest,
  keyOf: (item: T) => [Date, string],
  order: 'newest first' | 'oldest first' = 'newest first',
): Page<T> {
  const isBefore = (a: string, b: string): boolean => (order === 'newest first' ? a > b : a < b);
  const keyed = found
    .map((item) => ({ item, key: keyText(keyOf(item)) }))
    .sort((a, b) => (isBefore(a.key, b.key) ? -1 : 1));
  const rest = after === undefined ? keyed : keyed.filter(({ key }) => isBefore(after, key));
  const items = rest.slice(0, limit);
  return {
    items: items.map(({ item }) => item),
    next: rest.length > limit ? (items.at(-1)?.key ?? null) : null,
  };
}

/** True when a time is at or after `from`, and before `to`. An undefined bound does not limit. */
export function isWithin(at: Date, from: Date | undefined, to: Date | undefined): boolean {
  return (!from || at >= from) && (!to || at < to);
}

/** True when a filter selects an operation. */
export function fits(operation: OperationRecord, filter: OperationFilter): boolean {
  const { phoneNumber } = filter;
  return (
    (filter.kind === undefined || operation.kind === filter.kind) &&
    (filter.ids === undefined || filter.ids.includes(operation.id)) &&
    (filter.states === undefined || filter.states.includes(operation.state)) &&
    (filter.inReview === undefined || isInReview(operation)) &&
    (filter.causes === undefined || includes(filter.causes, operation.cause)) &&
    (filter.passed === undefined || operation.besides.length > 0) &&
    (filter.reasons === undefined || includes(filter.reasons, operation.reason)) &&
    (filter.sources === undefined || includes(filter.sources, operation.settledVia)) &&
    (filter.tillNumber === undefined || operation.tills.includes(filter.tillNumber)) &&
    (filter.name === undefined || hasName(operation, filter.name.trim())) &&
    (filter.keyBeginsWith === undefined ||
      beginsWith(operation.idempotencyKey, filter.keyBeginsWith.trim())) &&
    (filter.amountFrom === undefined ||
      Number(operation.amount.value) >= Number(filter.amountFrom)) &&
    (filter.amountTo === undefined || Number(operation.amount.value) <= Number(filter.amountTo)) &&
    (phoneNumber === undefined || payerHashOf(operation) === phoneHash(phoneNumber)) &&
    (filter.idempotencyKey === undefined || operation.idempotencyKey === filter.idempotencyKey) &&
    (filter.platformId === undefined || operation.platformId === filter.platformId) &&
    (filter.reference === undefined || operation.transaction?.reference === filter.reference) &&
    (filter.refundOf === undefined ||
      (isRefund(operation) && operation.reference === filter.refundOf)) &&
    isWithin(operation.createdAt, filter.from, filter.to)
  );
}

function keyText([at, id]: [Date, string]): string {
  return `${at.toISOString()} ${id}`;
}

function includes<T>(wanted: readonly T[], value: T | null): boolean {
  return value !== null && wanted.includes(value);
}

function beginsWith(text: string, beginning: string): boolean {
  return text.toLowerCase().startsWith(beginning.toLowerCase());
}

/**
 * True when one of the customer's names begins with the whole text, or when one begins with its first word and another one with the rest.
 */
function hasName(operation: OperationRecord, name: string): boolean {
  if (!isPayment(operation)) return false;
  const { firstName, lastName } = operation.subscriber;
  const [first, rest] = wordsOf(name);
  return [
    [firstName, lastName],
    [lastName, firstName],
  ].some(
    ([one = '', other = '']) =>
      beginsWith(one, name) || (rest !== '' && beginsWith(one, first) && beginsWith(other, rest)),
  );
}
