import { eventBuilder, type PaymentsEventBase } from '../store/new-event.js';
import type { Transaction } from '../money/transaction.js';

/** Events of transactions at a till. @publicApi */
export interface TillEvents {
  /** Money came to a till, also money that no payment of ours requested. At most once for each transaction. */
  'till.transaction.received': PaymentsEventBase & {
    readonly transaction: Transaction;
    /** Id of the webhook event, for an SMS notification; null when the transaction came from another source. */
    readonly webhookEventId: string | null;
    /** Id of our payment that it paid; null when it paid none, or when that is not known. */
    readonly paymentId: string | null;
    /** Id of our payment link that it paid; null when it paid none, or when that is not known. */
    readonly paymentLinkId: string | null;
    /** Set when the reversal is already known. */
    readonly reversed?: true;
  };
  /** Money at a till went back. At most once for each transaction. */
  'till.transaction.reversed': PaymentsEventBase & {
    /** The reversal as the platform shows it, with the reference of the received transaction. */
    readonly transaction: Transaction;
    /** Id of the webhook event; null when the reversal came from another source. */
    readonly webhookEventId: string | null;
    /** Id of our payment that it had paid; null when it paid none, or when that is not known. */
    readonly paymentId: string | null;
    /** Id of our payment link that it had paid; null when it paid none, or when that is not known. */
    readonly paymentLinkId: string | null;
  };
}

export const TILL_EVENTS: readonly (keyof TillEvents)[] = [
  'till.transaction.received',
  'till.transaction.reversed',
];

export const tillEvent = eventBuilder<TillEvents>();
