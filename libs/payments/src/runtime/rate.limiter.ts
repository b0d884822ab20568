import { CircuitOpenError } from '../payments.errors.js';
import { CIRCUIT, TURN_WITHIN_MS } from './backoff.js';
import type { Runtime } from './runtime.js';
import type { ShutdownSignal } from './shutdown.signal.js';
import type { TrafficStore } from './traffic.store.js';

/**
 * The largest share of the rate that each kind of background request may use, so that none starves the others. `overdue`:
 * reads of open operations. `follow-up`: reads of operations that failed or are in review. `sweep`: reads of windows.
 * `confirmation`: reads that confirm a callback without a signature. `hint`: those that confirm a webhook without one.
 */
const SHARES = { overdue: 1, 'follow-up': 0.2, sweep: 0.5, confirmation: 0.4, hint: 0.2 } as const;

export type BackgroundRequest = keyof typeof SHARES;

/** Most requests of one kind that may wait. */
const MOST_WAITING = 50;

/**
 * Turns are reserved for this long at most, and this long before: requests of other kinds and processes wait behind them, they are lost when
 * this process dies, and they are used although the platform asks to wait meanwhile.
 */
const RESERVED_MS = 100;

interface Waiting {
  until: number;
  begin: () => void;
  refuse: (error: unknown) => void;
}

/**
 * Lets background requests of one account through at the rate of the setting `reconciliation.requestsPerSecond`. Turns are reserved
 * in the store, so that all processes together keep the rate: several at once, so that a request costs less than a statement.
 */
export class RateLimiter {
  private readonly waiting: Record<BackgroundRequest, Waiting[]> = {
    overdue: [],
    'follow-up': [],
    sweep: [],
    confirmation: [],
    hint: [],
  };
  private readonly serving = new Set<BackgroundRequest>();

  constructor(
    private readonly account: string,
    private readonly traffic: Pick<TrafficStore, 'reserve'>,
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
    /** Requests per second. */
    private readonly rate: () => number,
  ) {}

  /**
   * Resolves when a request may be made.
   * @throws CircuitOpenError when too many requests wait, or when this one would wait too long
   * @throws StoreUnavailableError when the store does not answer
   */
  turn(kind: BackgroundRequest): Promise<void> {
    const queue = this.waiting[kind];
    const waitMs = queue.length * this.gapMs(kind);
    if (queue.length >= MOST_WAITING || waitMs > TURN_WITHIN_MS[kind])
      return Promise.reject(new CircuitOpenError(waitMs, `${queue.length} requests wait`));
    return new Promise((begin, refuse) => {
      queue.push({ until: this.runtime.elapsed() + TURN_WITHIN_MS[kind], begin, refuse });
      if (!this.serving.has(kind)) void this.serve(kind);
    });
  }

  /** Lets requests of a kind through one after the other, until none waits. */
  private async serve(kind: BackgroundRequest): Promise<void> {
    const queue = this.waiting[kind];
    this.serving.add(kind);
    try {
      while (queue.length > 0) await this.serveReserved(kind, queue);
    } catch (error) {
      for (const { refuse } of queue.splice(0)) refuse(error);
    }
    this.serving.delete(kind);
  }

  /** Reserves turns and lets a request through at each of them. A turn that nobody needs any more is lost. */
  private async serveReserved(kind: BackgroundRequest, queue: Waiting[]): Promise<void> {
    const kindGapMs = this.gapMs(kind);
    const askedAt = this.runtime.elapsed();
    const { count, inMs, mayAskAgain } = await this.traffic.reserve(this.account, {
      kind,
      count: Math.min(queue.length, Math.max(1, Math.floor(RESERVED_MS / kindGapMs))),
      gapMs: this.gapMs('overdue'),
      kindGapMs,
      withinMs: TURN_WITHIN_MS[kind],
    });
    if (mayAskAgain) return this.askLater(queue, inMs);
    if (count === 0)
      throw new CircuitOpenError(
        inMs,
        'The rate of the account is used up, or the platform asked to wait',
      );
    for (let turn = 0; turn < count; turn += 1) {
      await this.pauseUntil(askedAt + inMs + turn * kindGapMs);
      this.refuseLate(queue);
      queue.shift()?.begin();
    }
    if (queue.length > 0) await this.askLater(queue, kindGapMs);
  }

  /** Turns are given to who asks first, so each process asks at a random time of those in which the turn can be reserved. */
  private async askLater(queue: Waiting[], turnInMs: number): Promise<void> {
    const earlierMs = this.runtime.random() * RESERVED_MS;
    await this.pauseUntil(this.runtime.elapsed() + turnInMs - earlierMs);
    this.refuseLate(queue);
  }

  private async pauseUntil(at: number): Promise<void> {
    const waitMs = at - this.runtime.elapsed();
    if (waitMs > 0 && !(await this.shutdown.pause(waitMs)))
      throw new CircuitOpenError(0, 'The application closes');
  }

  private refuseLate(queue: Waiting[]): void {
    const now = this.runtime.elapsed();
    // The queue is in order of arrival: the first request has waited longest.
    for (let [first] = queue; first && first.until < now; [first] = queue) {
      queue.shift();
      first.refuse(
        new CircuitOpenError(
          CIRCUIT.firstPauseMs,
          'The rate limiter did not let the request through in time',
        ),
      );
    }
  }

  private gapMs(kind: BackgroundRequest): number {
    return 1000 / Math.max(0.001, this.rate() * SHARES[kind]);
  }
}
