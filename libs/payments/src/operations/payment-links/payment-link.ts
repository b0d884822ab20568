import type { OperationForm } from '../../store/operation.form.js';
import type { NewOperation, Operation, OperationState } from '../../store/operation.js';
import type { ReviewCause } from '../../store/review-cause.js';
import type { Transaction } from '../../money/transaction.js';
import type { Metadata } from '../../money/metadata.js';
import type { Amount } from '../../money/money.js';
import type { FailureReason } from '../../money/known-failures.js';

/**
 * State of a payment link. `succeeded`: a customer paid; `failed`: nobody can pay any more, see `reason` (`cancelled`, `expired`);
 * `reversed`: the money went back; `needs_review`: a person or later proof decides. In any other state it can be paid.
 * @see docs/promises.md#payment-links
 * @publicApi
 */
export type PaymentLinkState = Exclude<OperationState, 'partially_succeeded'>;

/** Our record of a link at which a customer can pay once. It is recorded before anything is sent. @publicApi */
export interface PaymentLink {
  /** Our id, a UUID. */
  readonly id: string;
  /** Name of the account. */
  readonly account: string;
  readonly state: PaymentLinkState;
  readonly idempotencyKey: string;
  /** The platform's id; null while it is unknown. */
  readonly platformId: string | null;
  /** Where the customer pays: share this URL. Null until the platform has shown it. */
  readonly url: string | null;
  /** Until when the customer can pay, by the platform; null until it has shown it. */
  readonly expiresAt: Date | null;
  /** Till number to which the money goes. */
  readonly tillNumber: string;
  readonly amount: Amount;
  /** What is owed, as the request said; null when it said nothing. */
  readonly order: string | null;
  /** Ids of the operations that it passed, as the request named them. */
  readonly besides: readonly string[];
  /** The host's own reference, which the customer sees; null when there is none. */
  readonly paymentReference: string | null;
  /** A text for the customer; null when there is none, and after retention has redacted it. */
  readonly note: string | null;
  /** The host's own data; null when there is none, and after retention has redacted it. */
  readonly metadata: Metadata | null;
  /** Who asked for it; null when the request named nobody, and after retention has redacted it. */
  readonly requestedBy: string | null;
  /** The transaction that paid, or that a review is about; null until it is known. */
  readonly transaction: Transaction | null;
  /** Set on `failed`: `cancelled`, `expired`, `rejected`, `not_sent`. */
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

/** What the platform has said about the link itself. */
export interface LinkOutcome {
  readonly url: string | null;
  /** Epoch milliseconds. */
  readonly expiresAt: number | null;
}

/** A payment link as the store keeps it. */
export interface PaymentLinkRecord extends Operation {
  readonly tillNumber: string;
  readonly order: string | null;
  readonly paymentReference: string | null;
  readonly note: string | null;
  readonly metadata: Metadata | null;
  readonly requestedBy: string | null;
  readonly outcome: LinkOutcome | null;
}

/** A payment link that is to be recorded. */
export type NewPaymentLink = NewOperation &
  Pick<
    PaymentLinkRecord,
    'tillNumber' | 'order' | 'paymentReference' | 'note' | 'metadata' | 'requestedBy'
  >;

/** Whether an operation of any kind is a payment link. */
export function isPaymentLink(operation: Operation): operation is PaymentLinkRecord {
  return operation.kind === 'payment_link';
}

/** How a store keeps a payment link. */
export const paymentLinkForm: OperationForm<NewPaymentLink> = {
  payer: () => 'anybody',
  request: ({ tillNumber, order, paymentReference }) => ({ tillNumber, order, paymentReference }),
  personal: ({ note, metadata, requestedBy }) => ({ note, metadata, requestedBy }),
  // No request has an empty note, so it says that the link is redacted.
  withoutPersons: { note: '', metadata: null, requestedBy: null },
};

/** The public part of a record. It is frozen, so that no listener can change it for another. */
export function toPaymentLink(record: PaymentLinkRecord): PaymentLink {
  const { url = null, expiresAt = null } = record.outcome ?? {};
  return Object.freeze({
    id: record.id,
    account: record.account,
    state: record.state as PaymentLinkState,
    idempotencyKey: record.idempotencyKey,
    platformId: record.platformId,
    url,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    tillNumber: record.tillNumber,
    amount: Object.freeze({ ...record.amount }),
    order: record.order,
    besides: Object.freeze([...record.besides]),
    paymentReference: record.paymentReference,
    note: record.note || null,
    metadata: record.metadata && Object.freeze({ ...record.metadata }),
    requestedBy: record.requestedBy,
    transaction: record.transaction && Object.freeze({ ...record.transaction }),
    reason: record.reason,
    errors: Object.freeze([...record.errors]),
    cause: record.cause,
    causeDetail: record.causeDetail,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  });
}
