import type { OperationForm } from '../../store/operation.form.js';
import type { NewOperation, Operation, OperationState } from '../../store/operation.js';
import type { ReviewCause } from '../../store/review-cause.js';
import type { Metadata } from '../../money/metadata.js';
import type { Amount } from '../../money/money.js';
import type { FailureReason } from '../../money/known-failures.js';

/**
 * State of a refund. `succeeded`: the money went back; `failed`: it did not; `needs_review`: a person or later proof decides. In any
 * other state the outcome is open.
 * @see docs/promises.md#money-out
 * @publicApi
 */
export type RefundState = Exclude<OperationState, 'reversed' | 'partially_succeeded'>;

/** Our record of received money that is sent back in full. It is recorded before anything is sent. @publicApi */
export interface Refund {
  /** Our id, a UUID. */
  readonly id: string;
  /** Name of the account. */
  readonly account: string;
  readonly state: RefundState;
  readonly idempotencyKey: string;
  /** The platform's id; null while it is unknown. */
  readonly platformId: string | null;
  /** Id of our payment whose money goes back; null for money that was named by its reference and till. */
  readonly paymentId: string | null;
  /** Reference of the transaction that goes back. */
  readonly reference: string;
  /** Till number at which the money was received. */
  readonly tillNumber: string;
  /** The whole received amount. */
  readonly amount: Amount;
  readonly why: string;
  /** Reference of the transfer that sends the money back, which is not `reference`; null until the platform shows it. */
  readonly refundReference: string | null;
  /** The host's own data; null when there is none, and after retention has redacted it. */
  readonly metadata: Metadata | null;
  /** Who asked for it; null when the request named nobody, and after retention has redacted it. */
  readonly requestedBy: string | null;
  /** Set on `failed`. */
  readonly reason: FailureReason | null;
  /** The platform's error messages on a failure. */
  readonly errors: readonly string[];
  /** Set on `needs_review`. */
  readonly cause: ReviewCause | null;
  /** Explains the cause. */
  readonly causeDetail: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What the platform has said about the transfer that sends the money back. */
export interface RefundOutcome {
  readonly state: 'open' | 'paid' | 'failed';
  readonly reference: string | null;
  /** When the first report came that it failed, in epoch milliseconds by the platform's clock; absent while that clock is not known. */
  readonly failedAt?: number;
}

/** A refund as the store keeps it. */
export interface RefundRecord extends Operation {
  readonly paymentId: string | null;
  readonly reference: string;
  readonly tillNumber: string;
  readonly why: string;
  readonly metadata: Metadata | null;
  readonly requestedBy: string | null;
  readonly outcome: RefundOutcome | null;
}

/** A refund that is to be recorded. */
export type NewRefund = NewOperation &
  Pick<RefundRecord, 'paymentId' | 'reference' | 'tillNumber' | 'why' | 'metadata' | 'requestedBy'>;

export function isRefund(operation: Operation): operation is RefundRecord {
  return operation.kind === 'refund';
}

/** How a store keeps a refund. */
export const refundForm: OperationForm<NewRefund> = {
  payer: () => null,
  request: ({ paymentId, reference, tillNumber }) => ({ paymentId, reference, tillNumber }),
  personal: ({ why, metadata, requestedBy }) => ({ why, metadata, requestedBy }),
  withoutPersons: { why: '', metadata: null, requestedBy: null },
};

/** The public part of a record. It is frozen, so that no listener can change it for another. */
export function toRefund(record: RefundRecord): Refund {
  return Object.freeze({
    id: record.id,
    account: record.account,
    state: record.state as RefundState,
    idempotencyKey: record.idempotencyKey,
    platformId: record.platformId,
    paymentId: record.paymentId,
    reference: record.reference,
    tillNumber: record.tillNumber,
    amount: Object.freeze({ ...record.amount }),
    why: record.why,
    refundReference: record.outcome?.reference ?? null,
    metadata: record.metadata && Object.freeze({ ...record.metadata }),
    requestedBy: record.requestedBy,
    reason: record.reason,
    errors: Object.freeze([...record.errors]),
    cause: record.cause,
    causeDetail: record.causeDetail,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  });
}
