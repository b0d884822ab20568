/** A request that the host created with a bare resource: its callback URL is ours, and it has no operation. */
export interface BareRequest {
  /** The id in its callback URL. */
  id: string;
  resource: 'incoming-payments' | 'polling' | 'sms-notifications';
  /** Null when the create got no usable answer. */
  platformId: string | null;
  /** When it was sent, by the platform's clock. */
  sentAt: Date;
  /** How its transaction will look; null when the request asks for no money, or its transaction is known. */
  money: {
    currency: string;
    amountMinor: string;
    payerHash: string;
  } | null;
}

/**
 * Stores bare requests for as long as a transaction may be matched, so that no transaction of a bare request is matched to a payment.
 * `ledger/` implements it over the store.
 */
export abstract class BareRequests {
  /**
   * Stores a request before it is sent.
   * @throws StoreUnavailableError when it cannot be stored: then it must not be sent, because nobody would know whose its money is
   */
  abstract remember(account: string, request: BareRequest): Promise<void>;

  /** Stores what became of a request. Never throws: the host must not repeat a request that was made, only because it could not be stored. */
  abstract keep(account: string, request: BareRequest): Promise<void>;
}
