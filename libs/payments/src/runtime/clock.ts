import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/** Milliseconds. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Node runs a timer with a longer delay at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Stops a timer. */
export type CancelTimer = () => void;

/**
 * Clock, timers, randomness and ids of one process. All code that waits, measures time or needs randomness uses this class, so
 * that a simulation can replace it and repeat a run step by step.
 */
@Injectable()
export class Runtime {
  /** Wall clock of this machine in epoch milliseconds. It may be wrong, and it may jump. */
  now(): number {
    return Date.now();
  }

  /** Monotonic clock in milliseconds. Only differences have a meaning. */
  elapsed(): number {
    return performance.now();
  }

  /** Returns a random number, 0 or more and less than 1. */
  random(): number {
    return Math.random();
  }

  /** Returns a new id: a UUID of version 7. */
  id(): string {
    return timeOrderedId(this.now());
  }

  /** Calls a function once after `ms` milliseconds. With `background`, the timer does not keep the process alive. */
  timer(ms: number, call: () => void, { background = false } = {}): CancelTimer {
    const timer = setTimeout(call, Math.min(ms, LONGEST_TIMER_MS));
    if (background) timer.unref();
    return () => clearTimeout(timer);
  }

  /** Resolves with true after `ms` milliseconds, or with false as soon as the signal aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const aborted = (): void => {
        cancel();
        resolve(false);
      };
      const cancel = this.timer(ms, () => {
        signal?.removeEventListener('abort', aborted);
        resolve(true);
      });
      signal?.addEventListener('abort', aborted, { once: true });
    });
  }

  /** Waits for work for `ms` milliseconds at most. True when the work has ended; if not, it goes on. */
  async endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
    let cancel: CancelTimer | undefined;
    const late = new Promise<false>((resolve) => {
      cancel = this.timer(ms, () => resolve(false));
    });
    try {
      return await Promise.race([work.then(() => true), late]);
    } finally {
      cancel?.();
    }
  }

  /**
   * Waits for a promise for `timeoutMs` milliseconds, then rejects with the given error. The work itself may go on.
   */
  async inTime<T>(work: Promise<T>, timeoutMs: number, error: () => Error): Promise<T> {
    if (!(await this.endsWithin(work, timeoutMs))) throw error();
    return work;
  }

  /** Jitter: a wait, longer or shorter by up to `share` of it, so that work that began together does not repeat together. */
  jittered(ms: number, share = 0.2): number {
    return ms * (1 - share + this.random() * 2 * share);
  }
}

/**
 * Returns a UUID of version 7. It begins with the time, so that new rows are written to one end of a database index, which stays fast with many rows.
 * 74 random bits make it unguessable.
 */
export function timeOrderedId(now: number): string {
  const time = now.toString(16).padStart(12, '0');
  // Node caches random bits for `randomUUID`. The 74 bits after its version digit are random.
  const random = randomUUID().slice(15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random}`;
}

/**
 * A time limit that uses both clocks of this machine. The monotonic clock stops while a laptop sleeps; the wall clock can be
 * set back. The limit is over as soon as one of them says so.
 */
export class TimeLimit {
  private readonly elapsedAtStart: number;
  private readonly timeAtStart: number;

  constructor(
    private readonly runtime: Runtime,
    private readonly ms: number,
    startOf?: TimeLimit,
  ) {
    this.elapsedAtStart = startOf?.elapsedAtStart ?? runtime.elapsed();
    this.timeAtStart = startOf?.timeAtStart ?? runtime.now();
  }

  /** Milliseconds left; 0 or less when the time is over. */
  get leftMs(): number {
    const passed = this.runtime.elapsed() - this.elapsedAtStart;
    return this.ms - Math.max(passed, this.runtime.now() - this.timeAtStart);
  }

  /** Returns the limit with the same start after at most so many milliseconds. */
  atMost(ms: number): TimeLimit {
    return new TimeLimit(this.runtime, Math.min(this.ms, ms), this);
  }

  get isOver(): boolean {
    return this.leftMs <= 0;
  }
}

/**
 * Does work under a short lease, and renews the lease meanwhile after each third of it: when the process dies, others wait only for what is left of it. A renewal
 * that fails is not repeated before the next one. Nothing is renewed after this has ended.
 */
export async function renewedWhile<T>(
  runtime: Pick<Runtime, 'timer'>,
  leaseMs: number,
  renew: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  let cancel: CancelTimer = () => undefined;
  let renewal: Promise<unknown> = Promise.resolve();
  const later = (): void => {
    cancel = runtime.timer(
      leaseMs / 3,
      () => {
        renewal = renewal.then(renew).catch(() => undefined);
        later();
      },
      { background: true },
    );
  };
  later();
  try {
    return await work();
  } finally {
    cancel();
    await renewal;
  }
}
