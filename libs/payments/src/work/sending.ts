import {
  PlatformTimeoutError,
  type PaymentsError,
  type PlatformRedirectError,
  type PlatformRejectedError,
  type UnknownOutcomeError,
} from '../payments.errors.js';
import type { SendingMark } from '../store/operation.js';
import type { TimeLimit } from './time-limit.js';
import type { FailedAttempts } from './failed-attempts.js';

/** An attempt to send an operation that begins before the recording. */
export interface Attempt {
  readonly limit: TimeLimit;
  readonly unaskedUntil: number;
  /** Recognises the operation that this attempt made `requested`. */
  readonly sender: string;
  /** The operation can be sent as soon as it is recorded, and is recorded with this. */
  readonly mark: SendingMark | undefined;
}

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

/** How sending a create ended. Only `created` and `unknown` may charge the customer. */
export type CreateOutcome =
  | { kind: 'created'; id: string }
  /** The platform certainly refused it. */
  | { kind: 'rejected'; error: PlatformRejectedError | PlatformRedirectError }
  /** The platform certainly never processed it. */
  | { kind: 'not_sent'; error: PaymentsError }
  /** It was sent, and no usable answer came. It must not be sent again. */
  | { kind: 'unknown'; error: UnknownOutcomeError };

/** @param operation what was to be done: `send payment` */
export function tooLateToSend(operation: string): PlatformTimeoutError {
  return new PlatformTimeoutError(
    operation,
    new Error('the time to send it was over before it was sent'),
  );
}
