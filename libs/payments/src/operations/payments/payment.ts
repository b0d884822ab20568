import type { OperationForm } from '../../store/operation.form.js';
import type { NewOperation, Operation, OperationState } from '../../store/operation.js';
import type { ReviewCause } from '../../store/review-cause.js';
import type { Transaction } from '../../money/transaction.js';
import type { UntiedQuery } from '../../store/transactions.store.js';
import type { Metadata } from '../../money/metadata.js';
import { phoneHash } from '../../money/phone-number.js';
import type { Amount } from '../../money/money.js';
import type { FailureReason } from '../../money/known-failures.js';

/**
 * State of a payment. `succeeded`: the money moved; `failed`: it did not; `reversed`: it moved and went back; `needs_review`: a
 * person or later proof decides. In any other state the outcome is open.
 * @see docs/promises.md#states
 * @publicApi
 */
export type PaymentState = Exclude<OperationState, 'partially_succeeded'>;

/** Why a payment failed; see `FailureReason`. @publicApi */
export type PaymentFailureReason = Exclude<FailureReason, 'declined' | 'expired'>;

/** The customer who is asked to pay. @publicApi */
export interface Subscriber {
  firstName: string;
  middleName?: string;
  lastName: string;
  /** International form with `+`. */
  phoneNumber: string;
  email?: string;
}

/** Our record of one customer debit. It is recorded before anything is sent. @publicApi */
export interface Payment {
  /** Our id, a UUID. */
  readonly id: string;
  /** Name of the account. */
  readonly account: string;
  readonly state: PaymentState;
  readonly idempotencyKey: string;
  /** The platform's id; null while it is unknown. */
  readonly platformId: string | null;
  /** Till number of the request. */
  readonly tillNumber: string;
  /** Empty texts after retention has redacted it. */
  readonly subscriber: Subscriber;
  /** The requested amount. */
  readonly amount: Amount;
  /** What is owed, as the request said; null when it said nothing. */
  readonly order: string | null;
  /** Ids of the operations that it passed, as the request named them. */
  readonly besides: readonly string[];
  /** The host's own data; null when there is none, and after retention has redacted it. */
  readonly metadata: Metadata | null;
  /** The transaction that paid, or that a review is about; null until it is known. */
  readonly transaction: Transaction | null;
  /** Set on `failed`. */
  readonly reason: PaymentFailureReason | null;
  /** The platform's error messages on a failure. */
  readonly errors: readonly string[];
  /** Set on `needs_review`, and after a second transaction. */
  readonly cause: ReviewCause | null;
  /** Explains the cause: both values of a mismatch, or the alias that would join two tills. */
  readonly causeDetail: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A payment as the store keeps it. */
export interface PaymentRecord extends Operation, Omit<Payment, 'state' | 'reason'> {
  readonly channel: string;
}

/** A payment that is to be recorded. */
export type NewPayment = NewOperation &
  Pick<PaymentRecord, 'channel' | 'tillNumber' | 'subscriber' | 'order' | 'metadata'>;

/** Whether an operation of any kind is a payment. */
export function isPayment(operation: Operation): operation is PaymentRecord {
  return operation.kind === 'payment';
}

/** How a store keeps a payment. */
export const paymentForm: OperationForm<NewPayment> = {
  payer: ({ subscriber }) => ({ hash: phoneHash(subscriber.phoneNumber) }),
  request: ({ channel, tillNumber, order }) => ({ channel, tillNumber, order }),
  personal: ({ subscriber, metadata }) => ({ subscriber, metadata }),
  withoutPersons: {
    subscriber: { firstName: '', lastName: '', phoneNumber: '' },
    metadata: null,
  },
};

/** The public part of a record. It is frozen, so that no listener can change it for another. */
export function toPayment(record: PaymentRecord): Payment {
  return Object.freeze({
    id: record.id,
    account: record.account,
    state: record.state as PaymentState,
    idempotencyKey: record.idempotencyKey,
    platformId: record.platformId,
    tillNumber: record.tillNumber,
    subscriber: Object.freeze({ ...record.subscriber }),
    amount: Object.freeze({ ...record.amount }),
    order: record.order,
    besides: Object.freeze([...record.besides]),
    metadata: record.metadata && Object.freeze({ ...record.metadata }),
    transaction: record.transaction && Object.freeze({ ...record.transaction }),
    reason: record.reason as PaymentFailureReason | null,
    errors: Object.freeze([...record.errors]),
    cause: record.cause,
    causeDetail: record.causeDetail,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  });
}

/** The last time that there is. */
const EVER = new Date(8.64e15);

/** Money that came since a payment was sent and looks like its own; null for one that was not sent, or that retention has redacted. */
export function moneyLike({
  amount,
  amountMinor,
  subscriber,
  sentAt,
}: Pick<PaymentRecord, 'amount' | 'amountMinor' | 'subscriber' | 'sentAt'>): UntiedQuery | null {
  if (!sentAt || subscriber.phoneNumber === '') return null;
  const payerHash = phoneHash(subscriber.phoneNumber);
  // The platform writes times to the second.
  const from = new Date(sentAt.getTime() - 1_000);
  return { currency: amount.currency, amountMinor, payerHash, from, to: EVER };
}
