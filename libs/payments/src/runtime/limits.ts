import {
  CircuitOpenError,
  PlatformAnswerTooLargeError,
  PlatformRateLimitedError,
  PlatformTimeoutError,
  PlatformUnavailableError,
  PlatformUnreachableError,
} from '../platform.errors.js';
import { MINUTE, type Runtime, SECOND } from './clock.js';
import { PLATFORM_RETRY, doubled, spread } from './retry.js';
import type { ShutdownSignal } from './shutdown-signal.js';

/** Says when the circuit breaker stops background requests, and for how long. */
export const CIRCUIT = {
  failuresToOpen: 5,
  firstPauseMs: 5 * SECOND,
  longestPauseMs: 60 * SECOND,
  /** Longest `Retry-After` that we obey: operations wait for these requests. */
  longestRetryAfterMs: 15 * MINUTE,
} as const;

/**
 * A background request of each kind waits for the rate limiter so long: less than the lease or the limit of its caller. The rate limiter
 * refuses a request that would wait longer, and the caller tries again later. Otherwise requests whose caller has given up would use up the
 * rate.
 */
const TURN_WITHIN_MS = {
  overdue: 60 * SECOND,
  'follow-up': 60 * SECOND,
  sweep: 120 * SECOND,
  confirmation: 10 * SECOND,
  hint: 10 * SECOND,
} as const;

/**
 * The largest share of the rate that each kind of background request may use, so that none starves the others. `overdue`:
 * reads of open operations. `follow-up`: reads of operations that failed or are in review. `sweep`: reads of windows.
 * `confirmation`: reads that confirm a callback without a signature. `hint`: those that confirm a webhook without one.
 */
const SHARES = { overdue: 1, 'follow-up': 0.2, sweep: 0.5, confirmation: 0.4, hint: 0.2 } as const;

export type BackgroundRequest = keyof typeof SHARES;

/** Most requests of one kind that may wait. */
const MOST_WAITING = 50;

/** The requests of one kind, in order of arrival. */
interface Queue {
  waiting: number;
  /** Ends when the last of them has had its permit. */
  last: Promise<void>;
  /** The time when the next one may be made, in `Runtime.elapsed()`. */
  nextAt: number;
}

/**
 * Lets background requests of one account through at the rate of the setting `reconciliation.requestsPerSecond`, for this process.
 */
export class RateLimiter {
  private readonly queues = new Map<BackgroundRequest, Queue>();
  /** The first requests of each kind, in order, so that each kind gets its permit. */
  private readonly firsts: Queue = { waiting: 0, last: Promise.resolve(), nextAt: 0 };

  constructor(
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
    /** Requests per second. */
    private readonly rate: () => number,
  ) {}

  /**
   * Resolves when a request may be made.
   * @throws CircuitOpenError when too many requests wait, or when this one would wait too long
   */
  async permit(kind: BackgroundRequest): Promise<void> {
    const queue = this.queueOf(kind);
    const waitMs = queue.waiting * this.gapMs(kind);
    if (queue.waiting >= MOST_WAITING || waitMs > TURN_WITHIN_MS[kind])
      throw new CircuitOpenError(waitMs, `${queue.waiting} requests wait`);
    const until = this.runtime.elapsed() + TURN_WITHIN_MS[kind];
    await this.inOrder(queue, this.gapMs(kind), until, () =>
      this.inOrder(this.firsts, this.gapMs('overdue'), until),
    );
  }

  /** Waits for the requests before in the queue, and for the time of the next one; then does `next`. */
  private inOrder(
    queue: Queue,
    gapMs: number,
    until: number,
    next?: () => Promise<void>,
  ): Promise<void> {
    const { last } = queue;
    const permit = async (): Promise<void> => {
      // A request that was refused before this one has used no permit.
      await last.catch(() => undefined);
      const waitMs = queue.nextAt - this.runtime.elapsed();
      if (queue.nextAt > until && waitMs > 0) throw new CircuitOpenError(waitMs, USED_UP);
      if (waitMs > 0 && !(await this.shutdown.pause(waitMs)))
        throw new CircuitOpenError(0, 'The application closes');
      // Its caller does not wait any more, so it must not use up a permit.
      if (this.runtime.elapsed() > until) throw new CircuitOpenError(gapMs, USED_UP);
      await next?.();
      queue.nextAt = this.runtime.elapsed() + gapMs;
    };
    queue.waiting += 1;
    return (queue.last = permit().finally(() => (queue.waiting -= 1)));
  }

  private queueOf(kind: BackgroundRequest): Queue {
    const existing = this.queues.get(kind);
    if (existing) return existing;
    const queue: Queue = { waiting: 0, last: Promise.resolve(), nextAt: 0 };
    this.queues.set(kind, queue);
    return queue;
  }

  private gapMs(kind: BackgroundRequest): number {
    return 1000 / Math.max(0.001, this.rate() * SHARES[kind]);
  }
}

const USED_UP = 'The rate of the account is used up';

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
    // The pause is a little longer, so that not all processes repeat at the same time.
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

/** Returns the milliseconds that the platform asked to wait by this error; null when it asked nothing. */
export function askedByMs(error: unknown): number | null {
  const isAsking =
    error instanceof PlatformRateLimitedError || error instanceof PlatformUnavailableError;
  if (!isAsking || error.retryAfterMs === null) return null;
  // A wrong `Retry-After` must not stop requests for days: operations wait for them.
  const askedMs = Math.min(error.retryAfterMs, CIRCUIT.longestRetryAfterMs);
  return Math.max(PLATFORM_RETRY.leastRetryAfterMs, askedMs);
}

/** Lets something happen a number of times in any second. */
export class PerSecond {
  private times: number[] = [];

  constructor(
    private readonly most: number,
    private readonly runtime: Runtime,
  ) {}

  /** False when it has happened too often; then this time does not count. */
  take(): boolean {
    const now = this.runtime.elapsed();
    this.times = this.times.filter((at) => at > now - 1_000);
    if (this.times.length >= this.most) return false;
    this.times.push(now);
    return true;
  }
}
