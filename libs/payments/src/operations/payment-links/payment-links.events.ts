import { eventBuilder, type PaymentsEventBase } from '../../store/new-event.js';
import type { ReviewCause } from '../../store/review-cause.js';
import type { NamedTransaction, PaidTransaction } from '../../money/transaction.js';
import type { PaymentLink } from './payment-link.js';
import type { FailureReason } from '../../money/known-failures.js';

/** Events of payment links. @publicApi */
export interface PaymentLinkEvents {
  /** A customer paid, or a person decided so: the money is at the till. At most once for each link. */
  'payment-link.paid': PaymentsEventBase & {
    readonly paymentLink: PaymentLink;
    readonly transaction: PaidTransaction;
  };
  /** The link was cancelled, and nobody had paid. */
  'payment-link.cancelled': PaymentsEventBase & { readonly paymentLink: PaymentLink };
  /** Nobody paid in time. */
  'payment-link.expired': PaymentsEventBase & { readonly paymentLink: PaymentLink };
  /** There is no link: the platform refused it, or it was not sent; or a person decided that nobody paid. */
  'payment-link.failed': PaymentsEventBase & {
    readonly paymentLink: PaymentLink;
    readonly reason: FailureReason;
    /** The platform's error messages. */
    readonly errors: readonly string[];
  };
  /** The money of a paid link, or of one in review, went back. */
  'payment-link.reversed': PaymentsEventBase & {
    readonly paymentLink: PaymentLink;
    /** The reversal as the platform shows it. */
    readonly transaction: NamedTransaction;
  };
  /** Contradictory or missing evidence: a person or later proof must decide. Emitted once for each cause and transaction. */
  'payment-link.needs_review': PaymentsEventBase & {
    readonly paymentLink: PaymentLink;
    readonly cause: ReviewCause;
  };
}

export const PAYMENT_LINK_EVENTS: readonly (keyof PaymentLinkEvents)[] = [
  'payment-link.paid',
  'payment-link.cancelled',
  'payment-link.expired',
  'payment-link.failed',
  'payment-link.reversed',
  'payment-link.needs_review',
];

export const paymentLinkEvent = eventBuilder<PaymentLinkEvents>();
