import type { Claim, ClaimOutcome } from './claim.js';
import type { Page, PageRequest } from './transactions.store.js';

/** `pending`: not processed yet; `done`: applied; `unrecognised`: stored, and not understood. */
export type DeliveryState = 'pending' | 'done' | 'unrecognised';

/** A stored delivery. @publicApi */
export interface DeliveryRecord extends NewDelivery {
  state: DeliveryState;
  /** Number of claims that have ended with an outcome, with the present one. */
  attempts: number;
  /** Number of duplicates that came after it. */
  duplicates: number;
  receivedAt: Date;
  /** Milliseconds since it was received, by the store's clock. */
  ageMs: number;
  /** Says why the last attempt failed, or why a delivery changed nothing; null when there is nothing to say. */
  lastError: string | null;
}

export type ClaimedDelivery = DeliveryRecord & Claim;

/** Selects deliveries for a list, newest first. @publicApi */
export interface DeliveryFilter {
  state?: DeliveryState;
  /** The id in the URL of a callback: that of the operation whose result it is. */
  resourceId?: string;
  ids?: readonly string[];
  /** Received at or after. */
  from?: Date;
  /** Received before. */
  to?: Date;
}

/** A delivery without its body, which may be large; `bytes` is the length of the body. @publicApi */
export type DeliverySummary = Omit<DeliveryRecord, 'body'> & { bytes: number };

/** Says what became of a delivery that was stored. */
export interface StoredDelivery {
  duplicate: boolean;
  /** The claim of the caller; null when it asked for none, or the delivery is a duplicate. */
  claimed: { token: string; receivedAt: Date } | null;
}

/** Store of deliveries. Every method may throw `StoreUnavailableError`. */
export abstract class DeliveriesStore {
  /**
   * Stores a delivery durably, then resolves. `duplicate` is true when a delivery with the same key exists: if that one is
   * `unrecognised`, it becomes `pending` again, and due a minute later.
   * @param leaseMs claims the delivery for the caller, who processes it; absent: any process may claim it
   */
  abstract store(delivery: NewDelivery, leaseMs?: number): Promise<StoredDelivery>;
  /** Claims due deliveries of these accounts, each for one claimer; the one that has been due longest comes first. */
  abstract claim(
    accounts: readonly string[],
    kind: DeliveryKind,
    limit: number,
    leaseMs: number,
  ): Promise<ClaimedDelivery[]>;
  /** Ends a claim. False, without any change, when the lease was lost. */
  abstract finish(claim: Claim, outcome: ClaimOutcome): Promise<boolean>;
  abstract find(account: string, id: string): Promise<DeliveryRecord | null>;
  /** Makes an unrecognised or finished delivery pending again. False when there is none with this id. */
  abstract reprocess(account: string, id: string): Promise<boolean>;
  abstract list(
    account: string,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<DeliverySummary>>;
}

/** Kind of a delivery, by its route. Each kind has its own queue. */
export type DeliveryKind = 'webhook' | 'callback';

/** A verified POST of the platform, as the store keeps it. */
export interface NewDelivery {
  id: string;
  account: string;
  /** sha256 in hex of the raw bytes and of the means of verification. A duplicate has the same key and is not stored again. */
  key: string;
  kind: DeliveryKind;
  /** Resource in the URL of a callback; null for a webhook. */
  resource: string | null;
  /** Id in the URL of a callback; null for a webhook. */
  resourceId: string | null;
  /** Means of verification: a signature over the bytes, or only the MAC in the URL. */
  verifiedBy: 'signature' | 'url';
  /** The raw bytes, with the MACs of our URLs sealed. */
  body: Buffer;
  /** The span in which it was received, as a W3C `traceparent`. Absent when there was none. */
  traceparent?: string;
}
