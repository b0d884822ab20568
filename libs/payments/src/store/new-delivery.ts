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
