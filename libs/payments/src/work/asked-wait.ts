import { PLATFORM_RETRY, spread } from './backoff.js';
import type { Runtime } from './runtime.js';
import type { ShutdownSignal } from './shutdown-signal.js';

/**
 * Waits while the platform has asked to wait. Resolves with the milliseconds that are left when that is too long for a caller, or when
 * the application closes; with 0 when the platform wants requests.
 */
export async function waitWhileClosed(
  closedForMs: () => number,
  shutdown: ShutdownSignal,
  runtime: Runtime,
): Promise<number> {
  const giveUpAt = runtime.elapsed() + PLATFORM_RETRY.longestRetryAfterMs;
  for (;;) {
    const forMs = closedForMs();
    if (forMs === 0) return 0;
    const isLong = runtime.elapsed() + forMs > giveUpAt;
    if (isLong || !(await shutdown.pause(spread(runtime, forMs)))) return forMs;
  }
}
