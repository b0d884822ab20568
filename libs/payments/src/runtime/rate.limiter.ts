import { CircuitOpenError } from '../payments.errors.js';
import { CIRCUIT, TURN_WITHIN_MS } from './backoff.js';
import type { Runtime } from './runtime.js';
import type { ShutdownSignal } from './shutdown.signal.js';

/**
 * The largest share of the rate that each kind of background request may use, so that none starves the others. `overdue`:
 * reads of open operations. `follow-up`: reads of operations that failed or are in review. `sweep`: reads of windows.
 * `confirmation`: reads that confirm a delivery without a signature.
 */
const SHARES = { overdue: 1, 'follow-up': 0.2, sweep: 0.5, confirmation: 0.4 } as const;

export type BackgroundRequest = keyof typeof SHARES;

const KINDS = Object.keys(SHARES) as BackgroundRequest[];

/** Most requests of one kind that may wait. */
const MOST_WAITING = 50;

interface Waiting {
  until: number;
  begin: () => void;
  refuse: (error: Error) => void;
}

/** Lets background requests through at the rate of the setting `reconciliation.requestsPerSecond`. */
export class RateLimiter {
  private readonly waiting: Record<BackgroundRequest, Waiting[]> = {
    overdue: [],
    'follow-up': [],
    sweep: [],
    confirmation: [],
  };
  /** Earliest time of the next request of each kind. `next` is the earliest time of a request of any kind. */
  private readonly nextOf: Record<BackgroundRequest, number> = {
    overdue: 0,
    'follow-up': 0,
    sweep: 0,
    confirmation: 0,
  };
  private next = 0;
  private serving = false;

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
  turn(kind: BackgroundRequest): Promise<void> {
    const queue = this.waiting[kind];
    const now = this.runtime.elapsed();
    const waitMs = Math.max(0, this.nextOf[kind] - now) + queue.length * this.gapMs(kind);
    if (queue.length >= MOST_WAITING || waitMs > TURN_WITHIN_MS[kind])
      return Promise.reject(new CircuitOpenError(waitMs, `${queue.length} requests wait`));
    return new Promise((begin, refuse) => {
      queue.push({ until: now + TURN_WITHIN_MS[kind], begin, refuse });
      if (!this.serving) void this.serve();
    });
  }

  /** Lets requests through one after the other, until none waits. */
  private async serve(): Promise<void> {
    this.serving = true;
    for (let kind = this.first(); kind; kind = this.first()) {
      this.refuseLate(this.waiting[kind]);
      const [next] = this.waiting[kind];
      if (!next) continue;
      const waitMs = Math.max(this.next, this.nextOf[kind]) - this.runtime.elapsed();
      if (waitMs > 0) {
        // A new request of another kind may be allowed sooner: the loop checks the queues again after one interval.
        if (!(await this.shutdown.pause(Math.min(waitMs, this.gapMs('overdue'))))) break;
        continue;
      }
      const now = this.runtime.elapsed();
      this.next = now + this.gapMs('overdue');
      this.nextOf[kind] = now + this.gapMs(kind);
      this.waiting[kind].shift();
      next.begin();
    }
    this.serving = false;
    if (!this.shutdown.signal.aborted) return;
    for (const kind of KINDS)
      for (const { refuse } of this.waiting[kind].splice(0))
        refuse(new CircuitOpenError(0, 'The application closes'));
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

  /** Of the kinds with waiting requests, the one that is allowed next. */
  private first(): BackgroundRequest | undefined {
    return KINDS.filter((kind) => this.waiting[kind].length > 0).reduce<
      BackgroundRequest | undefined
    >(
      (best, kind) => (best === undefined || this.nextOf[kind] < this.nextOf[best] ? kind : best),
      undefined,
    );
  }

  private gapMs(kind: BackgroundRequest): number {
    return 1000 / Math.max(0.001, this.rate() * SHARES[kind]);
  }
}
