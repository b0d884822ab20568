import type { ClaimOutcome } from '../work/claim.js';

/** A call that failed is repeated after the next wait of its account's schedule. When all waits were used, it is a dead letter. */
export function repeatOrDeadLetter(
  attempts: number,
  retryScheduleMs: readonly number[],
  error: string,
): ClaimOutcome {
  const inMs = retryScheduleMs[attempts - 1];
  return inMs === undefined ? { kind: 'given_up', error } : { kind: 'retry', inMs, error };
}
