import type { PaymentsError } from '../payments.errors.js';
import {
  type PlatformRedirectError,
  type PlatformRejectedError,
  PlatformTimeoutError,
  type UnknownOutcomeError,
} from '../platform.errors.js';
import type { TimeLimit } from '../runtime/clock.js';
import type { FailedAttempts } from '../runtime/retry.js';
import type { SendingMark } from '../store/operation.js';

/** An attempt to send an operation that begins before the recording. */
export interface Attempt {
  readonly limit: TimeLimit;
  readonly unasked: TimeLimit;
  /** Recognises the operation that this attempt made `requested`. */
  readonly sender: string;
  /** The operation can be sent as soon as it is recorded, and is recorded with this mark. */
  readonly mark: SendingMark | undefined;
}

/** A process needs this to send one operation. */
export interface Sending {
  /** The operation is sent until this time is over. */
  readonly limit: TimeLimit;
  /** Collects the attempts that were certainly not processed. */
  readonly failures: FailedAttempts;
  /**
   * In this time the first byte may be written without asking the store, because the commit of `requested` was made just before. Whatever
   * is written later, and each repeat, asks for a pause. The limit uses both clocks, because the monotonic one stops while a machine is
   * suspended. Null: nothing was committed.
   */
  readonly unasked: TimeLimit | null;
}

/** Says how sending a create ended. Only `created` and `unknown` may charge the customer. */
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

/** Says why a value is no time in which a request may be sent; null when it is one. */
export function sendBeforeProblem(value: unknown): string | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
    ? null
    : 'must be a whole number of milliseconds above 0';
}

/**
 * Returns the milliseconds in which a request may be sent: its own, but at most those of the settings. A longer own time is no error: the settings
 * may have changed since the first attempt, and a refusal of its repeat would say that nothing was sent.
 */
export function sendingTime(
  own: number | undefined,
  { sendBeforeMs }: { sendBeforeMs: number },
): number {
  return Math.min(own ?? sendBeforeMs, sendBeforeMs);
}
