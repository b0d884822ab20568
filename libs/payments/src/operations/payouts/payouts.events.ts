import { eventBuilder, type PaymentsEventBase } from '../../store/new-event.js';
import type { ReviewCause } from '../../store/review-cause.js';
import type { Payout } from './payout.js';
import type { FailureReason } from '../../money/known-failures.js';

/** Events of payouts. @publicApi */
export interface PayoutEvents {
  /** Every destination was paid. At most once for each payout. */
  'payout.succeeded': PaymentsEventBase & { readonly payout: Payout };
  /** Some destinations were paid and the others were not: see `payout.destinations`. At most once for each payout. */
  'payout.partially-succeeded': PaymentsEventBase & { readonly payout: Payout };
  /** No destination was paid. At most once for each payout. */
  'payout.failed': PaymentsEventBase & {
    readonly payout: Payout;
    readonly reason: FailureReason;
    /** The platform's error messages. */
    readonly errors: readonly string[];
  };
  /**
   * Contradictory or missing evidence: a person or later proof must decide. Do not pay again before that. Emitted once for each cause and
   * contradiction.
   */
  'payout.needs_review': PaymentsEventBase & {
    readonly payout: Payout;
    readonly cause: ReviewCause;
  };
}

export const PAYOUT_EVENTS: readonly (keyof PayoutEvents)[] = [
  'payout.succeeded',
  'payout.partially-succeeded',
  'payout.failed',
  'payout.needs_review',
];

export const payoutEvent = eventBuilder<PayoutEvents>();
