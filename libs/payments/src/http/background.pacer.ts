import { Inject, Injectable } from '@nestjs/common';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import {
  CircuitOpenError,
  PlatformAnswerTooLargeError,
  PlatformRateLimitedError,
  PlatformTimeoutError,
  PlatformUnavailableError,
  PlatformUnreachableError,
} from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { Runtime } from '../runtime/runtime.js';
import { ClosingSignal } from './closing.signal.js';
import { askedToWaitMs } from './retry.js';

/** Failures in a row after which background requests pause. */
const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

/** Longest pause that the platform can ask for. */
const LONGEST_RETRY_AFTER_MS = 15 * 60_000;

/**
 * The largest share of the rate that each kind of background request may use, so that none starves the others: reads of
 * open payments, second looks at payments that failed or are in review, sweeps, and confirmations of what came to a URL.
 */
const SHARES = { overdue: 1, 'follow-up': 0.2, sweep: 0.5, confirmation: 0.4 } as const;

export type BackgroundRequest = keyof typeof SHARES;

const KINDS = Object.keys(SHARES) as BackgroundRequest[];

/**
 * How long a request of each kind waits for its turn: less than the lease or the patience of whoever asks. One whose turn
 * comes later is refused, and asked for again later. Made after its caller gave up, it would take the turn of one who waits.
 */
const LONGEST_WAIT_MS = {
  overdue: 60_000,
  'follow-up': 60_000,
  sweep: 120_000,
  confirmation: 10_000,
} as const;

/** Requests of one kind that wait for their turn. */
const MOST_WAITING = 50;

interface Waiting {
  until: number;
  begin: () => void;
  refuse: (error: Error) => void;
}

/** Keeps background requests to the set rate, and away from a platform that is failing or asks for peace. */
@Injectable()
export class BackgroundPacer {
  private readonly waiting: Record<BackgroundRequest, Waiting[]> = {
    overdue: [],
    'follow-up': [],
    sweep: [],
    confirmation: [],
  };
  /** When each kind may be next, and when any may. */
  private readonly nextOf: Record<BackgroundRequest, number> = {
    overdue: 0,
    'follow-up': 0,
    sweep: 0,
    confirmation: 0,
  };
  private next = 0;
  private serving = false;
  private failures = 0;
  private closedUntil = 0;

  constructor(
    private readonly closing: ClosingSignal,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime = new Runtime(),
  ) {}

  /**
   * Makes a request when its turn comes.
   * @throws CircuitOpenError at once while requests pause or too many wait; the request was not made then
   */
  async run<T>(kind: BackgroundRequest, request: () => Promise<T>): Promise<T> {
    this.assertOpen();
    await this.turn(kind);
    // Another request may have been told to pause while this one waited for its turn.
    this.assertOpen();
    try {
      const result = await request();
      this.failures = 0;
      return result;
    } catch (error) {
      this.judge(error);
      throw error;
    }
  }

  private assertOpen(): void {
    const left = this.closedUntil - this.runtime.elapsed();
    if (left > 0) throw new CircuitOpenError(left);
  }

  private turn(kind: BackgroundRequest): Promise<void> {
    const queue = this.waiting[kind];
    const now = this.runtime.elapsed();
    const waitMs = Math.max(0, this.nextOf[kind] - now) + queue.length * this.gapMs(kind);
    if (queue.length >= MOST_WAITING || waitMs > LONGEST_WAIT_MS[kind])
      return Promise.reject(new CircuitOpenError(waitMs, `${queue.length} requests wait`));
    return new Promise((begin, refuse) => {
      queue.push({ until: now + LONGEST_WAIT_MS[kind], begin, refuse });
      if (!this.serving) void this.serve();
    });
  }

  /** One turn after the other, as long as somebody waits. */
  private async serve(): Promise<void> {
    this.serving = true;
    for (let kind = this.first(); kind; kind = this.first()) {
      this.refuseLate(this.waiting[kind]);
      const [next] = this.waiting[kind];
      if (!next) continue;
      const waitMs = Math.max(this.next, this.nextOf[kind]) - this.runtime.elapsed();
      if (waitMs > 0) {
        // Who comes meanwhile may be allowed sooner: it is looked again after one turn.
        if (!(await this.closing.pause(Math.min(waitMs, this.gapMs('overdue'))))) break;
        continue;
      }
      const now = this.runtime.elapsed();
      this.next = now + this.gapMs('overdue');
      this.nextOf[kind] = now + this.gapMs(kind);
      this.waiting[kind].shift();
      next.begin();
    }
    this.serving = false;
    if (!this.closing.signal.aborted) return;
    for (const kind of KINDS)
      for (const { refuse } of this.waiting[kind].splice(0)) refuse(new CircuitOpenError(0));
  }

  private refuseLate(queue: Waiting[]): void {
    const now = this.runtime.elapsed();
    // Who came first waits for longest.
    for (let [first] = queue; first && first.until < now; [first] = queue) {
      queue.shift();
      first.refuse(new CircuitOpenError(FIRST_PAUSE_MS, 'its turn did not come in time'));
    }
  }

  /** The kind whose turn comes first, of those that wait. */
  private first(): BackgroundRequest | undefined {
    return KINDS.filter((kind) => this.waiting[kind].length > 0).reduce<
      BackgroundRequest | undefined
    >(
      (best, kind) => (best === undefined || this.nextOf[kind] < this.nextOf[best] ? kind : best),
      undefined,
    );
  }

  private gapMs(kind: BackgroundRequest): number {
    const { requestsPerSecond } = this.options.reconciliation;
    return 1000 / Math.max(0.001, requestsPerSecond * SHARES[kind]);
  }

  private judge(error: unknown): void {
    const retryAfterMs =
      error instanceof PlatformRateLimitedError || error instanceof PlatformUnavailableError
        ? error.retryAfterMs
        : null;
    // A wild value must not keep us away for days: payments wait for an answer.
    if (retryAfterMs !== null)
      this.pause(askedToWaitMs(this.runtime, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)));
    const failing =
      error instanceof PlatformUnavailableError ||
      (error instanceof PlatformTimeoutError && !(error instanceof PlatformAnswerTooLargeError)) ||
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
