import type { CandidateQuery } from './operations.store.js';

/** A request that the host created with a bare resource: its callback URL is ours, and it has no operation. */
export interface BareRequest {
  /** The id in its callback URL. */
  id: string;
  resource: 'incoming-payments' | 'polling' | 'sms-notifications';
  /** Null when the create got no usable answer. */
  platformId: string | null;
  /** The time when it was sent, by the platform's clock. */
  sentAt: Date;
  /** Says how its transaction will look; null when the request asks for no money, or its transaction is known. */
  money: {
    currency: string;
    amountMinor: string;
    payerHash: string;
  } | null;
}

/** Store of the host's bare requests. Every method may throw `StoreUnavailableError`. */
export abstract class BareRequestsStore {
  /**
   * Stores a request for 31 days: as long as a transaction may be matched. A second write merges: a known platform id stays,
   * and `money: null` stays, because the writer may not know what another process has stored meanwhile.
   */
  abstract keep(account: string, request: BareRequest): Promise<void>;
  abstract find(
    account: string,
    resource: BareRequest['resource'],
    id: string,
  ): Promise<BareRequest | null>;
  /** Requests that may own a transaction, 10 at most; see `OperationsStore.findCandidates`. */
  abstract findCandidates(account: string, query: CandidateQuery): Promise<BareRequest[]>;
}
