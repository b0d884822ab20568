import { readTimestamp } from '../money/timestamp.js';
import { totalName, totalsBetween, type Movement, type TotalChange } from '../money/total.js';
import { ownerIdOf, type Transaction, type TransactionSum } from '../money/transaction.js';
import { wentBack } from '../money/transaction-sameness.js';

/**
 * Returns what a change of a sum adds to the totals of its till.
 * @param knownSince when the first report of its reference was committed; null: with this change
 */
export function movementTotals(
  before: TransactionSum | null,
  after: TransactionSum,
  knownSince: Date | null,
): readonly TotalChange[] {
  const were = before ? movementsOf(before, knownSince) : [];
  return totalsBetween(
    were,
    movementsOf(after, knownSince).map((entry) =>
      atItsTime(
        entry,
        were.find(({ name }) => name === entry.name),
      ),
    ),
  );
}

/**
 * An amount that was counted at the time of its commit stays on that day when we learn its real time. One that was counted at its real time
 * stays there. Neither can be taken from another day.
 */
function atItsTime(entry: TotalChange, was: TotalChange | undefined): TotalChange {
  if (!was) return entry;
  return { ...entry, at: was.at === null ? null : (entry.at ?? was.at) };
}

/**
 * Money that went back came in before, also if we know only its reversal: then it counts as received at the reversal's time, until its
 * own is known. That one is neither unmatched nor unreported: it is in no list of such money, and nobody has to look for its payment.
 */
function movementsOf(sum: TransactionSum, knownSince: Date | null): TotalChange[] {
  const { received, reversal, originatedAt, announced } = sum;
  if (!received && !reversal) return [];
  // Without a readable time it counts when its reference became known, because that never changes.
  const at = originatedAt ?? knownSince;
  const isImplied = received === null;
  return [
    movement(sum, 'received', at),
    ...(isImplied || ownerIdOf(sum) !== null ? [movement(sum, 'matched', at)] : []),
    ...(isImplied || announced ? [movement(sum, 'reported', at)] : []),
    ...(reversal ? [reversedMovement(sum, reversal)] : []),
  ];
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
 * Returns the money that went back as its report says it, which need not be all of the money. An amount that cannot be read counts as
 * nothing, once.
 */
function reversedMovement(sum: TransactionSum, reversal: Transaction): TotalChange {
  const entry = movement(sum, 'reversed', reversedAt(sum));
  const minor = wentBack(reversal, sum.received);
  return minor === 'all'
    ? entry
    : { ...entry, minor: minor ?? '0', currency: totalName(reversal.currency ?? sum.currency) };
}

/**
 * Returns when money went back. A report of a reversal may repeat the time at which the money came: then it counts when we learn of it, so
 * that no day before changes.
 */
function reversedAt({ reversal, received, originatedAt }: TransactionSum): Date | null {
  const at = readTimestamp(reversal?.originationTime);
  const isLater = at !== null && originatedAt !== null && at > originatedAt;
  return received === null || isLater ? at : null;
}
