import { PlatformTimeoutError } from '../payments.errors.js';
import type { TimeLimit } from '../runtime/time-limit.js';
import type { FailedAttempts } from './failed-attempts.js';

/** What a process has to send one operation with. */
export interface Sending {
  /** It is sent until then. */
  readonly limit: TimeLimit;
  /** Collects the attempts that were certainly not processed. */
  readonly failures: FailedAttempts;
  /**
   * Until when the first byte may be written unasked, in `Runtime.elapsed()`: the commit of `requested` was made just before. Whatever is written
   * later, and each repeat, asks for a pause.
   */
  readonly unaskedUntil: number;
}

/** @param operation what was to be done: `send payment` */
export function tooLateToSend(operation: string): PlatformTimeoutError {
  return new PlatformTimeoutError(
    operation,
    new Error('the time to send it was over before it was sent'),
  );
}
