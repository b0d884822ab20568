import { readTimestamp } from '../values/timestamp.js';
import { totalName, totalsBetween, type Movement, type TotalChange } from '../totals/total.js';
import { ownerIdOf, type TransactionSum } from './transaction.record.js';

/** What a change of a sum adds to the totals of its till. */
export function movementTotals(
  before: TransactionSum | null,
  after: TransactionSum,
): readonly TotalChange[] {
  return totalsBetween(before ? movementsOf(before) : [], movementsOf(after));
}

function movementsOf(sum: TransactionSum): TotalChange[] {
  const { received, reversal, originatedAt, announced } = sum;
  const entries: TotalChange[] = [];
  if (received) {
    entries.push(movement(sum, 'received', originatedAt));
    if (ownerIdOf(sum) !== null) entries.push(movement(sum, 'matched', originatedAt));
    if (announced) entries.push(movement(sum, 'reported', originatedAt));
  }
  if (reversal) entries.push(movement(sum, 'reversed', reversedAt(sum)));
  return entries;
}

function movement(sum: TransactionSum, name: Movement, at: Date | null): TotalChange {
  return {
    measure: 'movement',
    kind: '',
    name,
    till: totalName(sum.tills[0] ?? null),
    currency: totalName(sum.currency),
    count: 1,
    minor: sum.amountMinor ?? '0',
    at,
  };
}

/**
 * When money went back. A report of a reversal may repeat the time at which the money came: then it counts when we learn of it, so that
 * no day before changes.
 */
function reversedAt({ reversal, received, originatedAt }: TransactionSum): Date | null {
  const at = readTimestamp(reversal?.originationTime);
  const isLater = at !== null && originatedAt !== null && at > originatedAt;
  return received === null || isLater ? at : null;
}
