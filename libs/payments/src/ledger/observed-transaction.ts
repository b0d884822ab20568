import type { Claim } from '../work/claim.js';
import type { ArrivingDelivery } from './arriving-delivery.js';
import type { Transaction } from '../money/transaction.js';

/** A transaction at a till as a delivery, a status read or a sweep shows it. */
export interface ObservedTransaction {
  account: string;
  via: 'callback' | 'status' | 'webhook' | 'sweep';
  transaction: Transaction;
  reversal: boolean;
  /** Id of the webhook event that showed it; null when it came from another source. */
  webhookEventId: string | null;
  /** Id of the delivery of that webhook. */
  webhookDeliveryId?: string;
  /** Whether its first observation emits a till event. An operation's own callback or status read emits none. */
  announce: boolean;
  /** The claimed delivery that showed it. The commit of the observation finishes it. */
  finishes?: Claim;
  /** The delivery that showed it, if it is not stored yet. The commit of the observation stores it. */
  arriving?: ArrivingDelivery;
}

/**
 * What became of an observation: `unnamed`, when the transaction has neither reference nor id, or has no till; `known`, when it says
 * nothing new; `committed`.
 */
export type Observation = 'unnamed' | 'known' | 'committed';

/** Stores observed transactions. `tills/` implements it, because it emits the till events. */
export abstract class TransactionObserver {
  abstract observe(observed: ObservedTransaction): Promise<Observation>;
}
