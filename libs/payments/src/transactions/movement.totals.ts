import { readTimestamp } from '../values/timestamp.js';
import { totalName, totalsBetween, type Movement, type TotalChange } from '../totals/total.js';
import { ownerIdOf, type TransactionSum } from './transaction.record.js';

/** What a change of a sum adds to the totals of its till. */
export function movementTotals(
  before: TransactionSum | null,
  after: TransactionSum,
): readonly TotalChange[] {
  const were = before ? movementsOf(before) : [];
  return totalsBetween(
    were,
    movementsOf(after).map((entry) =>
      atItsTime(
        entry,
        were.find(({ name }) => name === entry.name),
      ),
    ),
  );
}

/**
 * What was counted when it was committed stays on that day when its time is learnt, and what was counted at its time stays there: neither
 * can be taken from another day.
 */
function atItsTime(entry: TotalChange, was: TotalChange | undefined): TotalChange {
  if (!was) return entry;
  return { ...entry, at: was.at === null ? null : (entry.at ?? was.at) };
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
