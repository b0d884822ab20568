import { totalName, totalsBetween, type TotalChange } from '../money/total.js';
import { isFinal } from './operation-states.js';
import type { Operation, Via } from '../store/operation.js';

/** The money that an operation has sent to its destinations. */
export interface PaidOut {
  /** Destinations that were paid. */
  count: number;
  /** Their sum in minor units. */
  minor: bigint;
}

export const NOTHING_PAID: PaidOut = { count: 0, minor: 0n };

/** Returns what a change of an operation adds to the totals. @param till the number of its till; null when it has none */
export function operationTotals(
  before: Operation,
  after: Operation,
  via: Via,
  paidOut: { before: PaidOut; after: PaidOut },
  till: string | null,
): readonly TotalChange[] {
  const isResult = !isFinal(before.state) && isFinal(after.state) && after.state !== 'reversed';
  return [
    ...totalsBetween(finalEntries(before, till), finalEntries(after, till)),
    ...(isResult ? [entry(after, 'source', via), entry(after, 'time', '')] : []),
    ...paidOutEntries(after, paidOut),
  ];
}

/** Returns what an operation adds to the totals while it is final. */
function finalEntries(operation: Operation, number: string | null): TotalChange[] {
  const { state, reason, amount, amountMinor } = operation;
  if (!isFinal(state)) return [];
  const till = totalName(number);
  const { currency } = amount;
  return [
    { ...entry(operation, 'state', state), till, currency, minor: amountMinor },
    ...(state === 'failed' && reason !== null ? [entry(operation, 'reason', reason)] : []),
  ];
}

/** An operation counts when it was recorded. */
function entry(
  { kind, createdAt }: Operation,
  measure: TotalChange['measure'],
  name: string,
): TotalChange {
  return { measure, kind, name, till: '', currency: '', count: 1, minor: '0', at: createdAt };
}

/** Money that was sent counts when we learn of it. */
function paidOutEntries(
  { kind, amount: { currency } }: Operation,
  { before, after }: { before: PaidOut; after: PaidOut },
): TotalChange[] {
  const count = after.count - before.count;
  const minor = after.minor - before.minor;
  if (count === 0 && minor === 0n) return [];
  const entry = {
    measure: 'movement',
    kind,
    name: 'paid_out',
    till: '',
    currency,
    at: null,
  } as const;
  return [{ ...entry, count, minor: String(minor) }];
}
