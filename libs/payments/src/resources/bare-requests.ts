/** A request that the host created itself: its callback URL is ours, and no record of ours stands behind it. */
export interface BareRequest {
  /** The id in its callback URL. */
  id: string;
  resource: 'incoming-payments' | 'polling' | 'sms-notifications';
  /** Null when the create got no usable answer. */
  platformId: string | null;
  /** When it was sent, by the platform's clock. */
  sentAt: Date;
  /** What money of it looks like; null where it asks for none. */
  money: {
    currency: string;
    amountMinor: string;
    payerHash: string;
  } | null;
}

/**
 * Remembers what the host created itself, for as long as a payment may be matched: its money is not taken for a payment's, and a result that was too large
 * to be delivered can be read. Implemented where the store is.
 */
export abstract class BareRequests {
  /** Never throws: the request was made, and is not to be made again because it could not be remembered. */
  abstract keep(request: BareRequest): Promise<void>;
}
