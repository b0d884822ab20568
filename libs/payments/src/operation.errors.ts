import { PaymentsError } from './payments.errors.js';
import type { OperationInTheWay } from './store/operations.store.js';

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
 * The reason for which money cannot be refunded. `not_found`: there is no such payment; `not_paid`: the payment did not succeed;
 * `not_received`: the platform has not reported the money yet; `sent_back`: it went back; `too_old`: it is older than 30 days;
 * `unreadable_amount`: nobody knows how much it is; `refunded`: another refund has sent it back, or may do so.
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

function namesOf(inTheWay: readonly OperationInTheWay[]): string {
  return inTheWay
    .map(({ kind, id, idempotencyKey, order, state, since }) => {
      const ofOrder = order === null ? '' : ` of order "${order}"`;
      const noun = kind.replace('_', ' ');
      return `${noun} ${id} (key "${idempotencyKey}"${ofOrder}, ${state}, recorded at ${since.toISOString()})`;
    })
    .join(', ');
}

/** Returns the value of `besides` that passes these operations. */
function passing(inTheWay: readonly OperationInTheWay[]): string {
  return `besides: [${inTheWay.map(({ id }) => `'${id}'`).join(', ')}]`;
}
