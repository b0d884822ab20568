import {
  PlatformAnswerTooLargeError,
  PlatformRateLimitedError,
  PlatformTimeoutError,
  PlatformUnavailableError,
  PlatformUnreachableError,
} from '../platform.errors.js';
import { StoreUnavailableError } from '../payments.errors.js';
import { type Runtime, SECOND } from './clock.js';
import type { ShutdownSignal } from './shutdown-signal.js';
import { CONVENTION, METRICS } from './telemetry/metrics-list.js';
import { count } from './telemetry/metrics.js';
import { errorType } from './telemetry/telemetry.js';

/** These waits are for reads and token requests. A create is never repeated this way. */
export const PLATFORM_RETRY = {
  attempts: 4,
  /** The least wait before work that was not sent or not stored is repeated. */
  leastMs: 100,
  baseMs: 200,
  capMs: 5 * SECOND,
  /** A longer `Retry-After` is an error, so that the caller decides. */
  longestRetryAfterMs: 10 * SECOND,
  /** Without a minimum, `Retry-After: 0` would cause hundreds of requests a second. */
  leastRetryAfterMs: SECOND,
} as const;

/** Share of a wait by which it may be longer. */
export const SPREAD = 0.2;

/**
 * Retry budget: all retries share it, so that retries do not multiply the load on a failing platform. Each retry spends one
 * unit, each success adds a tenth.
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

/** Repeats a read, a token request or a command while a repeat may help. Never use it for a create. */
export async function retrySafely<T>(
  budget: RetryBudget,
  shutdown: ShutdownSignal,
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
      if (waitMs === null || failures + 1 >= PLATFORM_RETRY.attempts || !budget.spend())
        throw error;
      if (!(await shutdown.pause(waitMs))) throw error;
      countRetry(error);
    }
  }
}

/** Counts a request to the platform that is repeated after an error. */
export function countRetry(error: unknown): void {
  count(METRICS.retries, { [CONVENTION.errorType]: errorType(error) });
}

/**
 * Repeats a write while the store is unavailable, for `forMs` milliseconds or until the application closes.
 * @param attempt receives the number of failures so far
 * @param longestMs the longest wait between two attempts
 */
export async function retryWhileStoreIsAway<T>(
  shutdown: ShutdownSignal,
  runtime: Runtime,
  forMs: number,
  attempt: (failures: number) => Promise<T>,
  longestMs?: number,
): Promise<T> {
  const giveUpAt = runtime.elapsed() + forMs;
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt(failures);
    } catch (error) {
      const passing = error instanceof StoreUnavailableError && runtime.elapsed() < giveUpAt;
      const waitMs = jitterAfterLeast(runtime, failures, longestMs);
      if (!passing || !(await shutdown.pause(waitMs))) throw error;
    }
  }
}

/** Returns the milliseconds to wait before the repeat; null when a repeat would not help. */
function safeRetryDelay(error: unknown, failures: number, runtime: Runtime): number | null {
  if (error instanceof PlatformRateLimitedError || error instanceof PlatformUnavailableError) {
    if (error.retryAfterMs === null) return fullJitter(runtime, failures);
    return error.retryAfterMs <= PLATFORM_RETRY.longestRetryAfterMs
      ? askedToWaitMs(runtime, error.retryAfterMs)
      : null;
  }
  if (error instanceof PlatformAnswerTooLargeError) return null;
  const lost = error instanceof PlatformUnreachableError || error instanceof PlatformTimeoutError;
  return lost ? fullJitter(runtime, failures) : null;
}

/** Longest text of one error: a message of the platform must not grow a row without limit. */
const LONGEST_ERROR = 500;

/**
 * The attempts to send one create that failed before the platform processed it. It keeps the first and the last error only, so a long
 * outage does not fill the history.
 */
export class FailedAttempts {
  private count = 0;
  private first = '';
  private last = '';

  constructor(private readonly runtime: Runtime) {}

  add({ message }: Error): void {
    this.count += 1;
    this.last = `${new Date(this.runtime.now()).toISOString()}: ${message.slice(0, LONGEST_ERROR)}`;
    if (this.count === 1) this.first = this.last;
  }

  /** The attempts as lines of the history: two at most. */
  get lines(): readonly string[] {
    const { count, first, last } = this;
    if (count === 0) return [];
    if (count === 1) return [`attempt 1, ${first}`];
    const others = count === 2 ? 'attempt 2' : `attempts 2 to ${count}, the last`;
    return [`attempt 1, ${first}`, `${others}, ${last}`];
  }
}

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

/**
 * Returns a wait and up to 20 % more, so that clients do not all repeat at the same time.
 * @param limitMs what is left of the time in which the work must be done: at least half of what follows the wait stays
 */
export function spread(runtime: Runtime, ms: number, limitMs = Infinity): number {
  return ms + runtime.random() * Math.min(ms * SPREAD, Math.max(0, limitMs - ms) / 2);
}

/** Returns how many milliseconds to wait after a `Retry-After`. */
export function askedToWaitMs(runtime: Runtime, retryAfterMs: number, limitMs?: number): number {
  return spread(runtime, Math.max(PLATFORM_RETRY.leastRetryAfterMs, retryAfterMs), limitMs);
}

/** Full jitter: a random wait below an exponentially growing limit, so that clients do not all repeat at the same time. */
export function fullJitter(
  runtime: Runtime,
  failures: number,
  { baseMs, capMs }: { baseMs: number; capMs: number } = PLATFORM_RETRY,
): number {
  return runtime.random() * Math.min(capMs, baseMs * 2 ** failures);
}

/** Full jitter after a least wait: for work that may be repeated at once, and must not be repeated without any wait. */
export function jitterAfterLeast(
  runtime: Runtime,
  failures: number,
  capMs: number = PLATFORM_RETRY.capMs,
): number {
  return PLATFORM_RETRY.leastMs + fullJitter(runtime, failures, { ...PLATFORM_RETRY, capMs });
}

/** Exponential backoff: the first wait, doubled for each failure after the first, at most the longest wait. */
export function doubled(firstMs: number, longestMs: number, failures: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(Math.max(0, failures - 1), 20));
}
