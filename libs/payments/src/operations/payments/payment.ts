import { IsOptional } from 'class-validator';
import { commonFacts, guardKey, orderGuard } from '../../ledger/operation.kind.js';
import { besidesProblem, idempotencyKeyProblem, orderProblem } from '../../ledger/request-names.js';
import type { FailureReason } from '../../money/known-failures.js';
import { phoneHash } from '../../money/phone-number.js';
import type { NamedTransaction, PaidTransaction, Transaction } from '../../money/transaction.js';
import { isSameMetadata } from '../../money/values.js';
import { CreateIncomingPaymentDto } from '../../platform/resources/incoming-payments.service.js';
import { sendBeforeProblem } from '../../platform/sending.js';
import { Satisfies } from '../../runtime/validate-input.js';
import { eventBuilder, type PaymentsEventBase } from '../../store/new-event.js';
import type {
  NewOperation,
  Operation,
  OperationFacts,
  OperationForm,
  OperationGuard,
  OperationState,
  ReviewCause,
} from '../../store/operation.js';
import type { UntiedQuery } from '../../store/transactions.store.js';

/**
 * State of a payment. `succeeded`: the money moved; `failed`: it did not; `reversed`: it moved and went back; `needs_review`: a
 * person or later proof decides. In any other state the outcome is open.
 * @see docs/promises.md#states
 * @publicApi
 */
export type PaymentState = Exclude<OperationState, 'partially_succeeded'>;

/** The reason for which a payment failed; see `FailureReason`. @publicApi */
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
export interface Payment extends OperationFacts<PaymentState, PaymentFailureReason> {
  /** Till number of the request. */
  readonly tillNumber: string;
  /** Empty texts after retention has redacted it. */
  readonly subscriber: Subscriber;
  /** The order that the customer pays, as the request named it; null when the request named none. */
  readonly order: string | null;
  /** Ids of the operations that it passed, as the request named them. */
  readonly besides: readonly string[];
  /** The transaction that paid, or that a review is about; null until it is known. */
  readonly transaction: Transaction | null;
}

/** A payment as the store keeps it. */
export interface PaymentRecord extends Operation, Omit<Payment, 'state' | 'reason'> {
  readonly channel: string;
}

/** A payment that is to be recorded. */
export type NewPayment = NewOperation &
  Pick<PaymentRecord, 'channel' | 'tillNumber' | 'subscriber' | 'order' | 'metadata'>;

export function isPayment(operation: Operation): operation is PaymentRecord {
  return operation.kind === 'payment';
}

export const paymentForm: OperationForm<NewPayment> = {
  payer: ({ subscriber }) => ({ hash: phoneHash(subscriber.phoneNumber) }),
  request: ({ channel, tillNumber, order }) => ({ channel, tillNumber, order }),
  personal: ({ subscriber, metadata }) => ({ subscriber, metadata }),
  withoutPersons: {
    subscriber: { firstName: '', lastName: '', phoneNumber: '' },
    metadata: null,
  },
};

/** Returns the public part of a record. It is frozen, so that no listener can change it for another. */
export function toPayment(record: PaymentRecord): Payment {
  return Object.freeze({
    ...commonFacts<PaymentState, PaymentFailureReason>(record),
    tillNumber: record.tillNumber,
    subscriber: Object.freeze({ ...record.subscriber }),
    order: record.order,
    besides: Object.freeze([...record.besides]),
    transaction: record.transaction && Object.freeze({ ...record.transaction }),
  });
}

/** The last time that there is. */
const EVER = new Date(8.64e15);

/** Returns money that came since a payment was sent and looks like its own; null for one that was not sent, or that retention has redacted. */
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

/** Events of payments. @publicApi */
export interface PaymentEvents {
  /** Full proof came, or a person decided: the money is at the till. At most once for each payment. */
  'payment.succeeded': PaymentsEventBase & {
    readonly payment: Payment;
    readonly transaction: PaidTransaction;
    /**
     * True when `till.transaction.received` was emitted for this money before anybody knew that it belongs to this payment. That event has
     * no `paymentId`: the customer paid directly, or the result came late. Do not count it twice.
     */
    readonly announcedBefore: boolean;
  };
  /** The platform said that the payment failed, or certainly did not process it, or a person decided. */
  'payment.failed': PaymentsEventBase & {
    readonly payment: Payment;
    readonly reason: PaymentFailureReason;
    /** The platform's error messages. */
    readonly errors: readonly string[];
    /**
     * References of money of the same phone, till and amount that came since the payment was sent, and that belongs to nobody: the customer may
     * have paid the till directly. It is no proof. Look at it before you ask the customer again.
     */
    readonly unownedReferences: readonly string[];
  };
  /** The money of a succeeded payment, or of one in review, went back. */
  'payment.reversed': PaymentsEventBase & {
    readonly payment: Payment;
    /** The reversal as the platform shows it. */
    readonly transaction: NamedTransaction;
  };
  /** Contradictory or missing evidence: a person or later proof must decide. Emitted once for each cause and transaction. */
  'payment.needs_review': PaymentsEventBase & {
    readonly payment: Payment;
    readonly cause: ReviewCause;
  };
}

export const PAYMENT_EVENTS: readonly (keyof PaymentEvents)[] = [
  'payment.succeeded',
  'payment.failed',
  'payment.reversed',
  'payment.needs_review',
];

export const paymentEvent = eventBuilder<PaymentEvents>();

/**
 * The input of `PaymentsService.request()` and `record()`. A host's own controller can use it as the type of its body.
 * @example
 * const input: RequestPayment = {
 *   idempotencyKey: 'order-1042-1',
 *   subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
 *   amount: { currency: 'KES', value: '100.00' },
 * };
 * @publicApi
 */
export class RequestPayment extends CreateIncomingPaymentDto {
  /**
   * Identifies this payment, 1 to 255 characters: an order number with an attempt, or a UUID that you store with the order. The
   * same key never prompts the customer twice. With the same request it returns the same payment; with a different request it is
   * an `IdempotencyConflictError`.
   */
  @Satisfies(idempotencyKeyProblem)
  idempotencyKey: string;

  /**
   * The order number, 1 to 255 characters: it names what the customer owes, never an attempt. An order is paid once: while a payment or a
   * link of it has no outcome, another key is refused (`PaymentInFlightError`), and after it was paid, too (`AlreadyPaidError`), whatever
   * phone, amount or till it names. Money that went back counts as not paid. Keep it free of personal data: it is not redacted.
   */
  @IsOptional()
  @Satisfies(orderProblem)
  order?: string;

  /**
   * Ids of operations that are in the way, and that this request passes: those that a `PaymentInFlightError` named, after the customer was asked.
   * Any other operation in the way still refuses it, and so does a named one that was paid meanwhile. A repeat with other ids is the same request.
   */
  @IsOptional()
  @Satisfies(besidesProblem)
  besides?: string[];

  /**
   * Milliseconds in which this request may be sent; a longer time than `sending.sendBeforeMs` of the settings counts as that. While the platform is down,
   * `request()` takes so long; then the payment fails with reason `not_sent`. A repeat with another time is the same request.
   * @default `sending.sendBeforeMs`
   */
  @IsOptional()
  @Satisfies(sendBeforeProblem)
  sendBeforeMs?: number;

  /** Not allowed: the callback must come to our own URL, which identifies the payment. */
  @IsOptional()
  @Satisfies(() => 'cannot be given: results of a payment come to our own URL')
  declare callbackUrl?: never;
}

/** A payer is not asked for the same amount at the same till under another key, nor anybody for the same order, while that may still be paid. */
export function paymentGuard({
  subscriber,
  amount,
  amountMinor,
  order,
}: Pick<NewPayment, 'subscriber' | 'amount' | 'amountMinor' | 'order'>): OperationGuard {
  const key = guardKey('payment', phoneHash(subscriber.phoneNumber), amount.currency, amountMinor);
  return { keys: [{ key, atTill: true }, ...orderGuard(order)] };
}

/**
 * True when a request is the one for which a payment was recorded. It compares channel, till, phone, currency, amount, order and metadata,
 * in canonical form. It does not compare names and e-mail, because people write them differently, nor `besides`, which a repeat may add.
 * Redacted fields are not compared either. It compares fields instead of a stored hash, because a phone number can be computed from a hash.
 */
export function isSameRequest(payment: PaymentRecord, request: NewPayment): boolean {
  const { phoneNumber } = payment.subscriber;
  const redacted = phoneNumber === '';
  return (
    payment.channel === request.channel &&
    payment.tillNumber === request.tillNumber &&
    payment.amount.currency === request.amount.currency &&
    payment.amountMinor === request.amountMinor &&
    payment.order === request.order &&
    (redacted ||
      (phoneNumber === request.subscriber.phoneNumber &&
        isSameMetadata(payment.metadata, request.metadata)))
  );
}
