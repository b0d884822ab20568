import type { OperationInTheWay } from './store/operations.store.js';

/** The stable `code` of each error of this package. @publicApi */
export type PaymentsErrorCode =
  | 'PAYMENTS_CONFIGURATION'
  | 'PAYMENTS_VALIDATION'
  | 'PAYMENTS_REJECTED'
  | 'PAYMENTS_UNAUTHORIZED'
  | 'PAYMENTS_REDIRECTED'
  | 'PAYMENTS_RATE_LIMITED'
  | 'PAYMENTS_UNAVAILABLE'
  | 'PAYMENTS_UNREACHABLE'
  | 'PAYMENTS_TIMEOUT'
  | 'PAYMENTS_UNREADABLE_RESPONSE'
  | 'PAYMENTS_UNKNOWN_OUTCOME'
  | 'PAYMENTS_CIRCUIT_OPEN'
  | 'PAYMENTS_IDEMPOTENCY_CONFLICT'
  | 'PAYMENTS_PAYMENT_IN_FLIGHT'
  | 'PAYMENTS_PAYOUT_IN_FLIGHT'
  | 'PAYMENTS_ALREADY_PAID'
  | 'PAYMENTS_LIMIT_EXCEEDED'
  | 'PAYMENTS_NOT_APPROVABLE'
  | 'PAYMENTS_NOT_REFUNDABLE'
  | 'PAYMENTS_NOT_CANCELLABLE'
  | 'PAYMENTS_NOT_FOUND'
  | 'PAYMENTS_NOT_RESOLVABLE'
  | 'PAYMENTS_SETTLE_TIMEOUT'
  | 'PAYMENTS_STORE_UNAVAILABLE'
  | 'PAYMENTS_ACCOUNT_NOT_FOUND'
  | 'PAYMENTS_ACCOUNT_UNAVAILABLE'
  | 'PAYMENTS_ACCOUNT_REMOVED'
  | 'PAYMENTS_SENDING_PAUSED';

/**
 * Base of every error of this package. It has a stable `code`; its message says what happened, why, and what to do. It
 * carries no token, secret or phone number.
 * @example
 * catch (error) {
 *   if (error instanceof PaymentsError) this.logger.warn(`${error.code}: ${error.message}`);
 *   throw error;
 * }
 * @publicApi
 */
export abstract class PaymentsError extends Error {
  abstract readonly code: PaymentsErrorCode;

  constructor(message: string, options?: { cause?: Error }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/**
 * The application did not start, because settings are wrong or missing. `problems` has one text for each, with the cure.
 * @publicApi
 */
export class PaymentsConfigurationError extends PaymentsError {
  readonly code = 'PAYMENTS_CONFIGURATION';

  /** @param what what was not possible */
  constructor(
    readonly problems: readonly string[],
    what = 'cannot start',
  ) {
    super(`@tillkit/payments ${what}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

/** One field of an input that breaks a rule. @publicApi */
export interface FieldProblem {
  /** Path of the field in the input: `subscriber.phoneNumber`. */
  field: string;
  /** What is wrong, as text that follows the field's name: `must be ...`. */
  problem: string;
}

/**
 * The input breaks a rule of the platform or of this package. We recorded nothing and sent nothing. Correct the fields.
 * @publicApi
 */
export class PaymentsValidationError extends PaymentsError {
  readonly code = 'PAYMENTS_VALIDATION';

  constructor(readonly problems: readonly FieldProblem[]) {
    super(
      `Nothing was sent. ${problems.map(({ field, problem }) => `${field} ${problem}`).join('; ')}.`,
    );
  }
}

/** An answer of the platform, without its headers and body. @publicApi */
export interface PlatformAnswer {
  /** Name of the call: `create incoming payment`. */
  operation: string;
  /** HTTP status. */
  status: number;
  /** The platform's error messages; empty when it sent none. */
  platformMessages: readonly string[];
}

/** Base of the errors that an answer of the platform causes. @publicApi */
export abstract class PlatformError extends PaymentsError {
  /** Name of the call: `create incoming payment`. */
  readonly operation: string;
  /** HTTP status of the answer. */
  readonly status: number;
  /** The platform's error messages; empty when it sent none. */
  readonly platformMessages: readonly string[];

  constructor(answer: PlatformAnswer, cure: string) {
    const messages = answer.platformMessages.length ? `: ${answer.platformMessages.join(' ')}` : '';
    super(`The platform answered ${answer.status} to "${answer.operation}"${messages}. ${cure}`);
    this.operation = answer.operation;
    this.status = answer.status;
    this.platformMessages = answer.platformMessages;
  }
}

/** The platform refused the request (400, 403, 404, 422, ...). It created nothing, and nobody is charged. @publicApi */
export class PlatformRejectedError extends PlatformError {
  readonly code = 'PAYMENTS_REJECTED';

  constructor(answer: PlatformAnswer) {
    super(answer, 'The platform refused the request: correct it, then send it as a new request.');
  }
}

/** The platform did not accept our token or credentials (401). It created nothing, and nobody is charged. @publicApi */
export class PlatformUnauthorizedError extends PlatformError {
  readonly code = 'PAYMENTS_UNAUTHORIZED';

  constructor(answer: PlatformAnswer) {
    super(
      answer,
      'Check PAYMENTS_CLIENT_ID and PAYMENTS_CLIENT_SECRET, and that they belong to PAYMENTS_BASE_URL.',
    );
  }
}

/** The platform answered with a redirect (3xx). We follow none, because it would send the token to another address. @publicApi */
export class PlatformRedirectError extends PlatformError {
  readonly code = 'PAYMENTS_REDIRECTED';

  constructor(answer: PlatformAnswer) {
    super(
      answer,
      'This package follows no redirect. Set PAYMENTS_BASE_URL to the https: origin of the platform.',
    );
  }
}

/** The platform received too many requests (429). It did not process this one, and nobody is charged. @publicApi */
export class PlatformRateLimitedError extends PlatformError {
  readonly code = 'PAYMENTS_RATE_LIMITED';

  /** @param retryAfterMs milliseconds from the `Retry-After` header; null when the platform sent none */
  constructor(
    answer: PlatformAnswer,
    readonly retryAfterMs: number | null,
  ) {
    super(
      answer,
      retryAfterMs
        ? `The platform receives too many requests: wait ${Math.ceil(retryAfterMs / 1000)} s before the next one.`
        : 'The platform receives too many requests: wait before the next one.',
    );
  }
}

/**
 * The platform failed (408, 5xx). Repeat a read later. A create that fails this way throws {@link UnknownOutcomeError}.
 * @publicApi
 */
export class PlatformUnavailableError extends PlatformError {
  readonly code = 'PAYMENTS_UNAVAILABLE';

  /** @param retryAfterMs milliseconds from the `Retry-After` header; null when the platform sent none */
  constructor(
    answer: PlatformAnswer,
    readonly retryAfterMs: number | null = null,
  ) {
    super(answer, 'The platform has a problem: try again later.');
  }
}

/**
 * We could not connect to the platform (connection refused, unknown host, no TLS). The request was certainly not sent.
 * @publicApi
 */
export class PlatformUnreachableError extends PaymentsError {
  readonly code = 'PAYMENTS_UNREACHABLE';

  constructor(
    readonly operation: string,
    cause: Error,
  ) {
    super(
      `"${operation}" was not sent: the platform cannot be reached (${cause.message}). Check PAYMENTS_BASE_URL and the network.`,
      { cause },
    );
  }
}

/**
 * No complete answer came in time, or the connection broke. Repeat a read later. A create that fails this way after it was
 * sent throws {@link UnknownOutcomeError}. @publicApi
 */
export class PlatformTimeoutError extends PaymentsError {
  readonly code = 'PAYMENTS_TIMEOUT';

  constructor(
    readonly operation: string,
    cause: Error,
  ) {
    super(
      `"${operation}" got no usable answer (${cause.message}). The platform or the network has a problem: try again later.`,
      {
        cause,
      },
    );
  }
}

/** The platform's answer is larger than the limit. 8 MB, or 80 MB for a polling result. Request less. @publicApi */
export class PlatformAnswerTooLargeError extends PlatformTimeoutError {
  constructor(operation: string) {
    super(
      operation,
      new Error('the answer is larger than the limit, 8 MB or 80 MB for a polling result'),
    );
  }
}

/** The platform's answer breaks the platform's own interface, so we cannot use it. @publicApi */
export class PlatformResponseError extends PlatformError {
  readonly code = 'PAYMENTS_UNREADABLE_RESPONSE';

  constructor(operation: string, status: number, what: string) {
    super(
      { operation, status, platformMessages: [what] },
      'The answer cannot be used: check PAYMENTS_BASE_URL, or report this to the platform.',
    );
  }
}

/**
 * A create was sent and no usable answer came. The platform may have processed it, and the customer may be charged. We never
 * send it again. Do not repeat it before you know the outcome. `PaymentsService.request()` finds the outcome by itself.
 * @see docs/promises.md#sending
 * @publicApi
 */
export class UnknownOutcomeError extends PaymentsError {
  readonly code = 'PAYMENTS_UNKNOWN_OUTCOME';

  constructor(
    readonly operation: string,
    cause: Error,
  ) {
    super(
      `"${operation}" was sent and its outcome is unknown (${cause.message}). The platform may have processed it: do not send it again.`,
      { cause },
    );
  }
}

/**
 * We did not make a request: the circuit breaker is open after several failures, too many requests wait, or the platform asked to wait. The
 * library tries again by itself. @publicApi
 */
export class CircuitOpenError extends PaymentsError {
  readonly code = 'PAYMENTS_CIRCUIT_OPEN';

  /** @param retryAfterMs milliseconds until the next request can be made */
  constructor(
    readonly retryAfterMs: number,
    why = 'The platform keeps failing',
  ) {
    super(`${why}; the next request follows in ${Math.ceil(retryAfterMs / 1000)} s.`);
  }
}

/**
 * An idempotency key was used again with a different request. We recorded nothing and sent nothing. Use a new key for a new
 * request. @publicApi
 */
export class IdempotencyConflictError extends PaymentsError {
  readonly code = 'PAYMENTS_IDEMPOTENCY_CONFLICT';

  /** @param compared the fields that are compared, as text */
  constructor(
    readonly idempotencyKey: string,
    noun: string,
    readonly operationId: string,
    compared: string,
  ) {
    super(
      `The idempotency key "${idempotencyKey}" already belongs to ${noun} ${operationId}, whose request was different ` +
        `(${compared}). Use a new key for a new ${noun}.`,
    );
  }
}

/** What the error of a refused request names of the operations in its way. */
function namesOf(inTheWay: readonly OperationInTheWay[]): string {
  return inTheWay
    .map(({ kind, id, idempotencyKey, order, state, since }) => {
      const ofOrder = order === null ? '' : ` of order "${order}"`;
      const noun = kind.replace('_', ' ');
      return `${noun} ${id} (key "${idempotencyKey}"${ofOrder}, ${state}, recorded at ${since.toISOString()})`;
    })
    .join(', ');
}

/** The value of `besides` that passes these operations. */
function passing(inTheWay: readonly OperationInTheWay[]): string {
  return `besides: [${inTheWay.map(({ id }) => `'${id}'`).join(', ')}]`;
}

/** Base of the errors of requests that other operations refuse. We recorded nothing and sent nothing. @publicApi */
export abstract class OperationInTheWayError extends PaymentsError {
  /**
   * The operations in the way, oldest first: what a person needs to decide whether to pass them by `besides`. Not enumerable, so that loggers do
   * not write your metadata.
   */
  declare readonly inTheWay: readonly OperationInTheWay[];

  constructor(inTheWay: readonly OperationInTheWay[], message: string) {
    super(message);
    Object.defineProperty(this, 'inTheWay', { value: Object.freeze([...inTheWay]) });
  }
}

/**
 * A payment of the same till, phone and amount, or an operation of the same order, has no outcome yet. We recorded nothing and sent nothing, so that the
 * customer does not pay twice. Two ways on: wait for its outcome; or ask the customer ("no prompt on your phone?") and pass exactly what `inTheWay` names.
 * @example
 * catch (error) {
 *   if (!(error instanceof PaymentInFlightError)) throw error;
 *   const besides = error.inTheWay.map(({ id }) => id); // only after a person has said so
 * }
 * @see docs/guide.md#another-request-is-in-flight
 * @publicApi
 */
export class PaymentInFlightError extends OperationInTheWayError {
  readonly code = 'PAYMENTS_PAYMENT_IN_FLIGHT';

  constructor(inTheWay: readonly OperationInTheWay[]) {
    super(
      inTheWay,
      `Nothing was recorded, because the customer may still pay what was asked before: ${namesOf(inTheWay)}. Wait for the outcome. Or, if the ` +
        `customer says that there is no prompt, ask again with ${passing(inTheWay)}.`,
    );
  }
}

/**
 * A payout to the same destination with the same amount has no outcome yet, or was paid in the last 10 minutes. We recorded nothing and sent nothing, so
 * that nobody is paid twice.
 * @see docs/promises.md#money-out
 * @publicApi
 */
export class PayoutInFlightError extends OperationInTheWayError {
  readonly code = 'PAYMENTS_PAYOUT_IN_FLIGHT';

  constructor(inTheWay: readonly OperationInTheWay[]) {
    super(
      inTheWay,
      `Nothing was recorded, because the same amount for the same destination has no outcome yet, or was paid in the last 10 minutes: ` +
        `${namesOf(inTheWay)}. Wait for the outcome, or resolve it if it is in review. If the destination shall be paid twice, and it is not paid ` +
        `yet, ask again with ${passing(inTheWay)}.`,
    );
  }
}

/**
 * The order was paid, or an operation that the request names in `besides` was: whoever asked did not know it yet. We recorded nothing and sent nothing.
 * @see docs/promises.md#sending
 * @publicApi
 */
export class AlreadyPaidError extends OperationInTheWayError {
  readonly code = 'PAYMENTS_ALREADY_PAID';

  constructor(inTheWay: readonly OperationInTheWay[]) {
    super(
      inTheWay,
      `Nothing was recorded, because this is paid already: ${namesOf(inTheWay)}. Deliver what was paid. If another payment is meant, give it another ` +
        'order, and do not name a paid operation in besides.',
    );
  }
}

/** The payout is above a limit of the settings. We recorded nothing and sent nothing. @publicApi */
export class PayoutLimitError extends PaymentsError {
  readonly code = 'PAYMENTS_LIMIT_EXCEEDED';

  /** @param setting the setting with the limit: `payouts.limits.KES.perDay` */
  constructor(
    readonly setting: string,
    why: string,
  ) {
    super(`The payout was not recorded: ${why} (${setting}). Nothing was sent.`);
  }
}

/** The payout cannot be approved or declined: it does not wait for approval, or the same person asked for it. Nothing changed. @publicApi */
export class PayoutNotApprovableError extends PaymentsError {
  readonly code = 'PAYMENTS_NOT_APPROVABLE';

  constructor(
    readonly payoutId: string,
    readonly reason: 'not_waiting' | 'same_person',
    why: string,
  ) {
    super(`Payout ${payoutId} cannot be approved or declined: ${why}.`);
  }
}

/**
 * Why money cannot be refunded. `not_found`: there is no such payment; `not_paid`: the payment did not succeed; `not_received`: the
 * platform has not reported the money yet; `sent_back`: it went back; `too_old`: it is older than 30 days; `unreadable_amount`: nobody
 * knows how much it is; `refunded`: another refund has sent it back, or may do so.
 * @publicApi
 */
export type NotRefundableReason =
  | 'not_found'
  | 'not_paid'
  | 'not_received'
  | 'sent_back'
  | 'too_old'
  | 'unreadable_amount'
  | 'refunded';

/**
 * The money cannot be refunded: it is not received, too old, or refunded or being refunded already. We recorded nothing and sent
 * nothing.
 * @see docs/promises.md#money-out
 * @publicApi
 */
export class NotRefundableError extends PaymentsError {
  readonly code = 'PAYMENTS_NOT_REFUNDABLE';

  /** @param refundId the refund that is or was made already; null when there is another reason */
  constructor(
    what: string,
    readonly reason: NotRefundableReason,
    why: string,
    readonly refundId: string | null = null,
  ) {
    super(`${what} cannot be refunded: ${why}. Nothing was sent.`);
  }
}

/** The payment link cannot be cancelled. Nothing changed. @publicApi */
export class OperationNotCancellableError extends PaymentsError {
  readonly code = 'PAYMENTS_NOT_CANCELLABLE';

  constructor(
    readonly operationId: string,
    why: string,
  ) {
    super(`The payment link ${operationId} cannot be cancelled: ${why}.`);
  }
}

/** The account has no operation of this kind with this id. @publicApi */
export class OperationNotFoundError extends PaymentsError {
  readonly code = 'PAYMENTS_NOT_FOUND';

  constructor(
    noun: string,
    readonly operationId: string,
  ) {
    super(`There is no ${noun} ${operationId} in this account: check the id and the account.`);
  }
}

/**
 * A person's decision cannot be applied: the operation is not in review, or the decision contradicts what is known. Nothing
 * changed.
 * @publicApi
 */
export class OperationNotResolvableError extends PaymentsError {
  readonly code = 'PAYMENTS_NOT_RESOLVABLE';

  constructor(
    noun: string,
    readonly operationId: string,
    why: string,
  ) {
    super(`The ${noun} ${operationId} cannot be resolved: ${why}.`);
  }
}

/** The operation did not settle within the `timeoutMs` of `settled()`. It continues, and its event follows. @publicApi */
export class SettleTimeoutError extends PaymentsError {
  readonly code = 'PAYMENTS_SETTLE_TIMEOUT';

  constructor(
    noun: string,
    readonly operationId: string,
    readonly state: string,
    readonly timeoutMs: number,
  ) {
    super(
      `The ${noun} ${operationId} was still ${state} after ${timeoutMs} ms. It continues: listen for its event.`,
    );
  }
}

/** The store is unavailable, slow or full. We answer deliveries with 503, so that the platform sends them again. @publicApi */
export class StoreUnavailableError extends PaymentsError {
  readonly code: PaymentsErrorCode = 'PAYMENTS_STORE_UNAVAILABLE';
  /** Whether nothing was stored for certain: the statement was refused, or never left this process. */
  readonly changedNothing: boolean;

  constructor(message: string, options: { cause?: Error; changedNothing?: boolean } = {}) {
    super(`The payments store cannot be used: ${message}`, options);
    this.changedNothing = options.changedNothing ?? false;
  }
}

/**
 * `request()` got no answer from the store in time, so it is unknown whether the operation is recorded. We send nothing for it.
 * Call `request()` again with the **same** idempotency key. This is always safe: it returns the recorded operation, or records
 * it now. A new key would make a second one. From `approve()`: it is unknown whether the payout is approved, and it may be sent. Call
 * `approve()` again: it is sent once.
 * @see docs/promises.md#who-sends-and-when
 * @publicApi
 */
export class OperationOutcomeUnknownError extends StoreUnavailableError {
  readonly outcome = 'unknown';

  constructor(
    noun: string,
    readonly idempotencyKey: string,
    override readonly cause: StoreUnavailableError,
    doubt = 'recorded. Nothing is sent for it. Call request() again with the same idempotency key',
  ) {
    super(
      `${cause.message.replace(/^The payments store cannot be used: /, '')}. It is unknown whether the ${noun} with key "${idempotencyKey}" is ${doubt}.`,
      { cause },
    );
  }
}
