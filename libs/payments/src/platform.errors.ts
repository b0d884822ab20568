import { PaymentsError } from './payments.errors.js';

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
    const isSilent = answer.status === 403 && answer.platformMessages.length === 0;
    super(
      answer,
      isSilent
        ? 'It gives no reason, as what stands before a platform does: ask it whether it refuses this User-Agent (PAYMENTS_USER_AGENT), the address of this ' +
            'machine, or the application for lack of a permission.'
        : 'The platform refused the request: correct it, then send it as a new request.',
    );
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
    cure = 'check PAYMENTS_BASE_URL and the network',
  ) {
    super(
      `"${operation}" was not sent: the platform cannot be reached (${cause.message}): ${cure}.`,
      { cause },
    );
  }
}

/**
 * An interceptor of `PaymentsHttpService` changed a request, made one of its own, or passed one on a second time. Nothing was written for it; a create that
 * was written before keeps the outcome that it has.
 * @publicApi
 */
export class InterceptedRequestError extends PaymentsError {
  readonly code = 'PAYMENTS_INTERCEPTED';

  constructor(
    readonly operation: string,
    what: string,
    wasWritten: boolean,
  ) {
    super(
      `"${operation}" was ${wasWritten ? 'written once, and not again' : 'not sent'}: an interceptor of PaymentsHttpService ${what}. Have it leave URL, ` +
        'method, body and these headers alone, and repeat no create: this package repeats what may be repeated.',
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
