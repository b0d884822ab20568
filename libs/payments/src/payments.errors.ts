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
  | 'PAYMENTS_INTERCEPTED'
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

  /** `instanceof` is also true for an error of another copy of this package: a host must not mistake it for an unknown one. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, error)) return true;
    const names: string[] = [];
    for (let one: unknown = error; one instanceof Error; one = Object.getPrototypeOf(one))
      names.push(one.constructor.name);
    return names.includes('PaymentsError') && names.includes(this.name);
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
  /** Names the problem, as text that follows the field's name: `must be ...`. */
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

/** The store is unavailable, slow or full. We answer deliveries with 503, so that the platform sends them again. @publicApi */
export class StoreUnavailableError extends PaymentsError {
  readonly code: PaymentsErrorCode = 'PAYMENTS_STORE_UNAVAILABLE';
  /** True when it is certain that nothing was stored: the statement was refused, or never left this process. */
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
