import type { Runtime } from '../runtime/runtime.js';

/** Share by which each wait is made longer or shorter at random, so that payments of one rush are not read in one. */
const JITTER = 0.2;

/**
 * Milliseconds until the next read of a payment that was read `checks` times. The schedule names times since sending; its
 * last one repeats.
 */
export function nextReadMs(
  scheduleMs: readonly number[],
  checks: number,
  runtime: Runtime,
): number {
  const at = (index: number): number => scheduleMs[index] ?? (scheduleMs.at(-1) as number);
  const wait =
    checks < scheduleMs.length - 1 ? at(checks) - (checks === 0 ? 0 : at(checks - 1)) : at(checks);
  return runtime.jittered(Math.max(0, wait), JITTER);
}
