import {
  CircuitOpenError,
  PlatformAnswerTooLargeError,
  PlatformRateLimitedError,
  PlatformTimeoutError,
  PlatformUnavailableError,
  PlatformUnreachableError,
} from '../payments.errors.js';
import { CIRCUIT, doubled, PLATFORM_RETRY, spread } from './backoff.js';
import type { Runtime } from './runtime.js';

/** Circuit breaker: stops background requests while the platform fails, or when it sends `Retry-After`. */
export class CircuitBreaker {
  private failures = 0;
  private openUntil = 0;

  constructor(private readonly runtime: Runtime) {}

  get isOpen(): boolean {
    return this.runtime.elapsed() < this.openUntil;
  }

  /** @throws CircuitOpenError while the circuit is open */
  assertClosed(): void {
    const leftMs = this.openUntil - this.runtime.elapsed();
    if (leftMs > 0) throw new CircuitOpenError(leftMs);
  }

  /**
   * Makes a request; its outcome opens or closes the circuit.
   * @throws CircuitOpenError while the circuit is open; the request was not made
   */
  async run<T>(request: () => Promise<T>): Promise<T> {
    this.assertClosed();
    try {
      const result = await request();
      this.failures = 0;
      return result;
    } catch (error) {
      this.observe(error);
      throw error;
    }
  }

  private observe(error: unknown): void {
    const askedMs = askedByMs(error);
    // A little longer, so that not all processes repeat at the same time.
    if (askedMs !== null) this.open(spread(this.runtime, askedMs));
    // Any other answer, also a refusal, shows that the platform works.
    this.failures = isFailing(error) ? this.failures + 1 : 0;
    const { failuresToOpen, firstPauseMs, longestPauseMs } = CIRCUIT;
    if (this.failures >= failuresToOpen)
      this.open(doubled(firstPauseMs, longestPauseMs, this.failures - failuresToOpen + 1));
  }

  private open(ms: number): void {
    this.openUntil = Math.max(this.openUntil, this.runtime.elapsed() + ms);
  }
}

function isFailing(error: unknown): boolean {
  return (
    error instanceof PlatformUnavailableError ||
    (error instanceof PlatformTimeoutError && !(error instanceof PlatformAnswerTooLargeError)) ||
    error instanceof PlatformUnreachableError
  );
}

/** Milliseconds that the platform asked to wait by this error; null when it asked nothing. */
export function askedByMs(error: unknown): number | null {
  const isAsking =
    error instanceof PlatformRateLimitedError || error instanceof PlatformUnavailableError;
  if (!isAsking || error.retryAfterMs === null) return null;
  // A wrong `Retry-After` must not stop requests for days: operations wait for them.
  const askedMs = Math.min(error.retryAfterMs, CIRCUIT.longestRetryAfterMs);
  return Math.max(PLATFORM_RETRY.leastRetryAfterMs, askedMs);
}
