import type { CancelTimer } from '../../work/runtime.js';

/**
 * Calls `end` once: when the time of a request is over, or when the application closes.
 *
 * A real `AbortSignal` takes a quarter of the CPU time of a whole request (Node 20): it is an `EventTarget`, which the garbage collector must
 * track.
 * @param shutdown a signal that ends the request as well. It has not aborted yet
 * @returns stops it
 */
export function untilDeadline(
  timeoutMs: number,
  shutdown: AbortSignal | undefined,
  end: (isLate: boolean) => void,
): CancelTimer {
  const clear = (): void => {
    clearTimeout(timer);
    shutdown?.removeEventListener('abort', close);
  };
  const close = (): void => {
    clear();
    end(false);
  };
  const timer = setTimeout(() => {
    clear();
    end(true);
  }, timeoutMs);
  shutdown?.addEventListener('abort', close);
  return clear;
}
