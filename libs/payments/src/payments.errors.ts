/** The stable codes of every error that this package throws. @publicApi */
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
  | 'PAYMENTS_NOT_FOUND'
  | 'PAYMENTS_NOT_RESOLVABLE'
  | 'PAYMENTS_SETTLE_TIMEOUT'
  | 'PAYMENTS_STORE_UNAVAILABLE';

/** Base of every error of this package: a stable `code`, a message with the cause and the cure. @publicApi */
export abstract class PaymentsError extends Error {
  abstract readonly code: PaymentsErrorCode;

  constructor(message: string, options?: { cause?: Error }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Start-up was refused: every wrong or missing setting, each with what to write. @publicApi */
export class PaymentsConfigurationError extends PaymentsError {
  readonly code = 'PAYMENTS_CONFIGURATION';

  constructor(readonly problems: readonly string[]) {
    super(
      `@tillkit/payments cannot start:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  }
}

/** One field that breaks a rule. */
export interface FieldProblem {
  /** Path of the field in the input, such as `subscriber.phoneNumber`. */
  field: string;
  problem: string;
}

/** The input breaks a rule of the platform or of this package. Nothing was recorded and nothing was sent. @publicApi */
export class PaymentsValidationError extends PaymentsError {
  readonly code = 'PAYMENTS_VALIDATION';

  constructor(readonly problems: readonly FieldProblem[]) {
    super(
      `Nothing was sent. ${problems.map(({ field, problem }) => `${field} ${problem}`).join('; ')}.`,
    );
  }
}

/** What an answer of the platform said, without its headers or body. */
export interface PlatformAnswer {
  /** What was being done, such as `create incoming payment`. */
  operation: string;
  status: number;
  /** The platform's own words. */
  platformMessages: readonly string[];
}

/** Base of the errors that a status of the platform becomes. @publicApi */
export abstract class PlatformError extends PaymentsError {
  readonly operation: string;
  readonly status: number;
  readonly platformMessages: readonly string[];

  constructor(answer: PlatformAnswer, cure: string) {
    const words = answer.platformMessages.length ? `: ${answer.platformMessages.join(' ')}` : '';
    super(`The platform answered ${answer.status} to "${answer.operation}"${words}. ${cure}`);
    this.operation = answer.operation;
    this.status = answer.status;
    this.platformMessages = answer.platformMessages;
  }
}

/** The platform refused the request (400, 403, 404, 422, ...). Nothing was created. @publicApi */
export class PlatformRejectedError extends PlatformError {
  readonly code = 'PAYMENTS_REJECTED';

  constructor(answer: PlatformAnswer) {
    super(answer, 'It was refused as it stands: correct the request, then send it as a new one.');
  }
}

/** The platform did not accept our token or credentials. Nothing was created. @publicApi */
export class PlatformUnauthorizedError extends PlatformError {
  readonly code = 'PAYMENTS_UNAUTHORIZED';

  constructor(answer: PlatformAnswer) {
    super(
      answer,
      'Check PAYMENTS_CLIENT_ID and PAYMENTS_CLIENT_SECRET, and that they belong to PAYMENTS_BASE_URL.',
    );
  }
}

/** The platform answered with a redirect, which is never followed: it would carry the token elsewhere. @publicApi */
export class PlatformRedirectError extends PlatformError {
  readonly code = 'PAYMENTS_REDIRECTED';

  constructor(answer: PlatformAnswer) {
    super(
      answer,
      'Redirects are not followed. Set PAYMENTS_BASE_URL to the https: origin of the platform.',
    );
  }
}

/** The platform asks for fewer requests (429). The request was not processed. @publicApi */
export class PlatformRateLimitedError extends PlatformError {
  readonly code = 'PAYMENTS_RATE_LIMITED';

  /** @param retryAfterMs how long the platform asks us to wait, in milliseconds; null when it does not say. */
  constructor(
    answer: PlatformAnswer,
    readonly retryAfterMs: number | null,
  ) {
    super(answer, 'Wait before the next request.');
  }
}

/** The platform failed (408, 5xx). A read can be repeated; of a create see {@link UnknownOutcomeError}. @publicApi */
export class PlatformUnavailableError extends PlatformError {
  readonly code = 'PAYMENTS_UNAVAILABLE';

  /** @param retryAfterMs how long the platform asks us to wait, in milliseconds; null when it does not say. */
  constructor(
    answer: PlatformAnswer,
    readonly retryAfterMs: number | null = null,
  ) {
    super(answer, 'The platform has a problem of its own; try again later.');
  }
}

/** The platform could not be reached: refused, no such host, no TLS. The request was certainly not sent. @publicApi */
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

/** No usable answer in time, or the connection broke on the way. @publicApi */
export class PlatformTimeoutError extends PaymentsError {
  readonly code = 'PAYMENTS_TIMEOUT';

  constructor(
    readonly operation: string,
    cause: Error,
  ) {
    super(
      `"${operation}" got no usable answer (${cause.message}). The platform or the network has a problem.`,
      {
        cause,
      },
    );
  }
}

/** The platform's answer is larger than the limit. Ask for less, or raise `http.maxResponseBytes`. @publicApi */
export class PlatformAnswerTooLargeError extends PlatformTimeoutError {
  constructor(operation: string) {
    super(operation, new Error('its answer is larger than the limit'));
  }
}

/** The platform answered something that its contract does not allow. @publicApi */
export class PlatformResponseError extends PlatformError {
  readonly code = 'PAYMENTS_UNREADABLE_RESPONSE';

  constructor(operation: string, status: number, what: string) {
    super({ operation, status, platformMessages: [what] }, 'Its answer cannot be used.');
  }
}

/**
 * A create was sent and no usable answer came: it may or may not have happened, and the customer may be charged. It is
 * never sent again by us. Do not repeat it yourself before you know: use `PaymentsService`, which finds out. @publicApi
 */
export class UnknownOutcomeError extends PaymentsError {
  readonly code = 'PAYMENTS_UNKNOWN_OUTCOME';

  constructor(
    readonly operation: string,
    cause: Error,
  ) {
    super(
      `"${operation}" was sent and its outcome is unknown (${cause.message}). It may have happened: do not send it again.`,
      { cause },
    );
  }
}

/** Background requests pause: the platform failed several times in a row, or too many already wait. @publicApi */
export class CircuitOpenError extends PaymentsError {
  readonly code = 'PAYMENTS_CIRCUIT_OPEN';

  constructor(
    readonly retryAfterMs: number,
    why = 'The platform keeps failing',
  ) {
    super(`${why}; no further background request for ${Math.ceil(retryAfterMs / 1000)} s.`);
  }
}

/** An idempotency key was used again with another request. Nothing was recorded or sent. @publicApi */
export class IdempotencyConflictError extends PaymentsError {
  readonly code = 'PAYMENTS_IDEMPOTENCY_CONFLICT';

  constructor(
    readonly idempotencyKey: string,
    readonly paymentId: string,
  ) {
    super(
      `The idempotency key "${idempotencyKey}" already belongs to payment ${paymentId}, whose request was different ` +
        '(channel, till, phone, amount or metadata). Use a new key for a new payment.',
    );
  }
}

/** The same customer is already being asked for the same amount. Nothing was recorded or sent. @publicApi */
export class PaymentInFlightError extends PaymentsError {
  readonly code = 'PAYMENTS_PAYMENT_IN_FLIGHT';

  constructor(readonly paymentId: string) {
    super(
      `Payment ${paymentId} of the same till, phone and amount has no outcome yet. Wait for it, or pass ` +
        'allowParallel: true if the customer really is to pay twice.',
    );
  }
}

/** There is no such payment. @publicApi */
export class PaymentNotFoundError extends PaymentsError {
  readonly code = 'PAYMENTS_NOT_FOUND';

  constructor(readonly paymentId: string) {
    super(`There is no payment ${paymentId} in this account.`);
  }
}

/** A person's word was given on a payment that does not wait for one. Nothing changed. @publicApi */
export class PaymentNotResolvableError extends PaymentsError {
  readonly code = 'PAYMENTS_NOT_RESOLVABLE';

  constructor(
    readonly paymentId: string,
    why: string,
  ) {
    super(`Payment ${paymentId} cannot be resolved: ${why}.`);
  }
}

/** `settled()` was not reached in time. The payment goes on; its event will come. @publicApi */
export class SettleTimeoutError extends PaymentsError {
  readonly code = 'PAYMENTS_SETTLE_TIMEOUT';

  constructor(
    readonly paymentId: string,
    readonly state: string,
    readonly timeoutMs: number,
  ) {
    super(
      `Payment ${paymentId} was still ${state} after ${timeoutMs} ms. It goes on: listen for its event.`,
    );
  }
}

/** The store is away, slow or full. Deliveries are answered 503 and will come again. @publicApi */
export class StoreUnavailableError extends PaymentsError {
  readonly code: PaymentsErrorCode = 'PAYMENTS_STORE_UNAVAILABLE';

  constructor(message: string, options?: { cause?: Error }) {
    super(`The payments store cannot be used: ${message}`, options);
  }
}

/**
 * A payment was asked for, and the store did not answer in time: nobody knows whether it was recorded. Nothing is sent for it
 * unless you ask again with the **same** idempotency key, which is always safe: it gives the payment, or records it now. A
 * new key would be a new payment. @publicApi
 */
export class PaymentOutcomeUnknownError extends StoreUnavailableError {
  readonly outcome = 'unknown';

  constructor(
    readonly idempotencyKey: string,
    override readonly cause: StoreUnavailableError,
  ) {
    super(
      `${cause.message.replace(/^The payments store cannot be used: /, '')}. Whether payment "${idempotencyKey}" was recorded is ` +
        'unknown, and nothing is sent for it: ask again with the same idempotency key.',
      { cause },
    );
  }
}
