import { Injectable } from '@nestjs/common';
import { timeOrderedId } from './time-ordered-id.js';

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

  /** A random number, 0 or more and less than 1. */
  random(): number {
    return Math.random();
  }

  /** A new id: a UUID of version 7. */
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

  /** Waits for work for `ms` milliseconds at most. Whether it has ended; if not, it goes on. */
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
