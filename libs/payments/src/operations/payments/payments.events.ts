import { eventBuilder, type PaymentsEventBase } from '../../store/new-event.js';
import type { ReviewCause } from '../../store/review-cause.js';
import type { NamedTransaction, PaidTransaction } from '../../money/transaction.js';
import type { Payment, PaymentFailureReason } from './payment.js';

/** Events of payments. @publicApi */
export interface PaymentEvents {
  /** Full proof came, or a person decided: the money is at the till. At most once for each payment. */
  'payment.succeeded': PaymentsEventBase & {
    readonly payment: Payment;
    readonly transaction: PaidTransaction;
    /**
     * Whether `till.transaction.received` was emitted for this money before anybody knew that it is the money of this payment, so without `paymentId`: the
     * customer paid directly, or the result came late. Do not count it twice.
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
