import { digest } from '../money/digest.js';
import { plainNumber } from '../money/till-number.js';
import type { Operation, OperationGuard } from '../store/operation.js';

/** A key of a guard: 128 bits, in hex, from which nobody reads what it is of, but who knows that can compute it. */
export function guardKey(...parts: readonly unknown[]): string {
  return digest(32, ...parts);
}

/** Whether an operation that has an equal key refuses a new one. `record_alone` of the PostgreSQL store says the same. */
export function refuses(
  {
    state,
    cause,
    tills,
    windowSwept,
    unchangedMs,
  }: Pick<Operation, 'state' | 'cause' | 'tills' | 'windowSwept' | 'unchangedMs'>,
  { guard, tills: own }: { guard: OperationGuard; tills: readonly string[] },
): boolean {
  const { blockedIn, reviewedFor, settledWithinMs = 0 } = guard;
  const numbers = new Set(tills.map(plainNumber));
  if (own.length > 0 && !own.some((till) => numbers.has(plainNumber(till)))) return false;
  if (state === 'succeeded' || state === 'partially_succeeded')
    return blockedIn.includes(state) || unchangedMs < settledWithinMs;
  if (state === 'needs_review' && reviewedFor && (cause === null || !reviewedFor.includes(cause)))
    return false;
  const isUnanswered = state === 'pending' || state === 'unknown' || cause === 'no_evidence';
  return blockedIn.includes(state) && !(windowSwept && isUnanswered);
}
