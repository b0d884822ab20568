import { Inject, Injectable } from '@nestjs/common';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import {
  CircuitOpenError,
  PlatformRateLimitedError,
  PlatformTimeoutError,
  PlatformUnavailableError,
  PlatformUnreachableError,
} from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { Runtime } from '../runtime/runtime.js';
import { ClosingSignal } from './closing.signal.js';

/** Failures in a row after which background requests pause. */
const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

/** Longest pause that the platform can ask for. */
const LONGEST_RETRY_AFTER_MS = 15 * 60_000;

/** Keeps background requests to the set rate, and away from a platform that is failing or asks for peace. */
@Injectable()
export class BackgroundPacer {
  private nextAt = 0;
  private failures = 0;
  private closedUntil = 0;

  constructor(
    private readonly closing: ClosingSignal,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime = new Runtime(),
  ) {}

  /**
   * Makes a request when its turn comes.
   * @throws CircuitOpenError at once while requests pause; the request was not made then
   */
  async run<T>(request: () => Promise<T>): Promise<T> {
    const now = this.runtime.elapsed();
    if (now < this.closedUntil) throw new CircuitOpenError(this.closedUntil - now);
    const gapMs = 1000 / Math.max(0.001, this.options.reconciliation.requestsPerSecond);
    const turn = Math.max(now, this.nextAt);
    this.nextAt = turn + gapMs;
    if (turn > now && !(await this.closing.pause(turn - now))) throw new CircuitOpenError(0);
    // Another request may have been told to pause while this one waited for its turn.
    const left = this.closedUntil - this.runtime.elapsed();
    if (left > 0) throw new CircuitOpenError(left);
    try {
      const result = await request();
      this.failures = 0;
      return result;
    } catch (error) {
      this.judge(error);
      throw error;
    }
  }

  private judge(error: unknown): void {
    const retryAfterMs =
      error instanceof PlatformRateLimitedError || error instanceof PlatformUnavailableError
        ? error.retryAfterMs
        : null;
    // A wild value must not keep us away for days: payments wait for an answer.
    if (retryAfterMs !== null) this.pause(Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS));
    const failing =
      error instanceof PlatformUnavailableError ||
      error instanceof PlatformTimeoutError ||
      error instanceof PlatformUnreachableError;
    // Any other answer is an answer: the platform is there.
    this.failures = failing ? this.failures + 1 : 0;
    if (this.failures >= FAILURES_TO_OPEN) {
      this.pause(
        Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.failures - FAILURES_TO_OPEN)),
      );
    }
  }

  private pause(ms: number): void {
    this.closedUntil = Math.max(this.closedUntil, this.runtime.elapsed() + ms);
  }
}
