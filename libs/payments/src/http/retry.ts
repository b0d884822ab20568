import {
  PlatformAnswerTooLargeError,
  PlatformRateLimitedError,
  PlatformTimeoutError,
  PlatformUnavailableError,
  PlatformUnreachableError,
  StoreUnavailableError,
} from '../payments.errors.js';
import type { Runtime } from '../runtime/runtime.js';
import type { ClosingSignal } from './closing.signal.js';

const BASE_MS = 200;
const CAP_MS = 5_000;
const MAX_ATTEMPTS = 4;
const LONGEST_RETRY_AFTER_MS = 10_000;
const LEAST_RETRY_AFTER_MS = 1_000;

/**
 * Retries share one budget, so that a platform in trouble is not hit several times as hard: each retry spends one
 * unit, each success gives a tenth back.
 */
export class RetryBudget {
  private units: number;

  constructor(private readonly capacity = 20) {
    this.units = capacity;
  }

  spend(): boolean {
    if (this.units < 1) return false;
    this.units -= 1;
    return true;
  }

  refill(): void {
    this.units = Math.min(this.capacity, this.units + 0.1);
  }
}

/** Repeats something that may safely be repeated: a read or a token request, never a create. */
export async function retrySafely<T>(
  budget: RetryBudget,
  closing: ClosingSignal,
  runtime: Runtime,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      const result = await attempt();
      budget.refill();
      return result;
    } catch (error) {
      const waitMs = safeRetryDelay(error, failures, runtime);
      if (waitMs === null || failures + 1 >= MAX_ATTEMPTS || !budget.spend()) throw error;
      if (!(await closing.pause(waitMs))) throw error;
    }
  }
}

/**
 * Repeats something that the store must know, while the store is away, until its time is over or the application closes.
 * @param attempt is given how many failures there were
 */
export async function retryWhileStoreIsAway<T>(
  closing: ClosingSignal,
  runtime: Runtime,
  forMs: number,
  attempt: (failures: number) => Promise<T>,
): Promise<T> {
  const giveUpAt = runtime.elapsed() + forMs;
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt(failures);
    } catch (error) {
      const passing = error instanceof StoreUnavailableError && runtime.elapsed() < giveUpAt;
      if (!passing || !(await closing.pause(100 + fullJitter(runtime, failures)))) throw error;
    }
  }
}

/** Milliseconds to wait before a safe repeat, or null when a repeat would change nothing. */
function safeRetryDelay(error: unknown, failures: number, runtime: Runtime): number | null {
  if (error instanceof PlatformRateLimitedError || error instanceof PlatformUnavailableError) {
    if (error.retryAfterMs === null) return fullJitter(runtime, failures);
    return error.retryAfterMs <= LONGEST_RETRY_AFTER_MS
      ? askedToWaitMs(runtime, error.retryAfterMs)
      : null;
  }
  if (error instanceof PlatformAnswerTooLargeError) return null;
  const lost = error instanceof PlatformUnreachableError || error instanceof PlatformTimeoutError;
  return lost ? fullJitter(runtime, failures) : null;
}

/**
 * How long to wait when the platform asks for peace: as long as it says and a little longer, so that clients do not come
 * back together, and never less than a second: a `Retry-After` of 0 would be hundreds of requests a second.
 */
export function askedToWaitMs(runtime: Runtime, retryAfterMs: number): number {
  return Math.max(LEAST_RETRY_AFTER_MS, retryAfterMs) * (1 + runtime.random() * 0.2);
}

/** Full jitter: a random wait up to an exponentially growing cap, so that clients do not come back together. */
export function fullJitter(
  runtime: Runtime,
  failures: number,
  baseMs = BASE_MS,
  capMs = CAP_MS,
): number {
  return runtime.random() * Math.min(capMs, baseMs * 2 ** failures);
}
