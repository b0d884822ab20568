import { eventBuilder, type PaymentsEventBase } from '../../store/new-event.js';
import type { ReviewCause } from '../../store/review-cause.js';
import type { Refund } from './refund.js';
import type { FailureReason } from '../../money/known-failures.js';

/** Events of refunds. The payment whose money went back also emits `payment.reversed`. @publicApi */
export interface RefundEvents {
  /** The money went back. At most once for each refund. */
  'refund.succeeded': PaymentsEventBase & { readonly refund: Refund };
  /** The money did not go back. At most once for each refund. */
  'refund.failed': PaymentsEventBase & {
    readonly refund: Refund;
    readonly reason: FailureReason;
    /** The platform's error messages. */
    readonly errors: readonly string[];
  };
  /** Contradictory or missing evidence: a person or later proof must decide. Emitted once for each cause and contradiction. */
  'refund.needs_review': PaymentsEventBase & {
    readonly refund: Refund;
    readonly cause: ReviewCause;
  };
}

export const REFUND_EVENTS: readonly (keyof RefundEvents)[] = [
  'refund.succeeded',
  'refund.failed',
  'refund.needs_review',
];

export const refundEvent = eventBuilder<RefundEvents>();
