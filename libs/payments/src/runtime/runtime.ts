import { Injectable } from '@nestjs/common';
import { timeOrderedId } from '../values/time-ordered-id.js';

/** Node calls at once what is to be called later than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Stops a timer. */
export type CancelTimer = () => void;

/**
 * Time and chance, as one process has them. Everything that waits, measures or draws asks here, so that a simulation can
 * own all of it and repeat a history step by step.
 */
@Injectable()
export class Runtime {
  /** Epoch milliseconds by this machine's clock, which may be wrong and may jump. */
  now(): number {
    return Date.now();
  }

  /** Milliseconds by a clock that only goes forward. Only differences mean something. */
  elapsed(): number {
    return performance.now();
  }

  /** A number from 0 up to 1. */
  random(): number {
    return Math.random();
  }

  /** A new id: a UUID of version 7. */
  id(): string {
    return timeOrderedId(this.now());
  }

  /** Calls once after so many milliseconds. A timer alone does not keep the process alive when `background` is set. */
  timer(ms: number, call: () => void, { background = false } = {}): CancelTimer {
    const timer = setTimeout(call, Math.min(ms, LONGEST_TIMER_MS));
    if (background) timer.unref();
    return () => clearTimeout(timer);
  }

  /** Resolves after so many milliseconds, earlier when the signal aborts; false then. */
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

  /**
   * Waits for something, but no longer than a time in milliseconds: then rejects with the error made for it. What was
   * waited for may still be running.
   */
  async inTime<T>(work: Promise<T>, timeoutMs: number, error: () => Error): Promise<T> {
    let cancel: CancelTimer | undefined;
    const late = new Promise<never>((_, reject) => {
      cancel = this.timer(timeoutMs, () => reject(error()));
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      cancel?.();
    }
  }

  /** A wait made longer or shorter by up to a share of it, so that what began together does not come back together. */
  jittered(ms: number, share = 0.2): number {
    return ms * (1 - share + this.random() * 2 * share);
  }
}
