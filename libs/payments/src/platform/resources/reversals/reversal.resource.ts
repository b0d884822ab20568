import type { Metadata } from '../../../money/metadata.js';
import { readAmountValue } from '../../../money/money.js';
import type { ResourceEnvelope } from '../../../money/resource-envelope.js';
import { wireObject, wireText, wireTexts, type WireObject } from '../../wire-value.js';

/** The platform's documentation uses both. */
export const REVERSAL_TYPES = ['reversal', 'reversals'] as const;

/** The payment that sends the money back. A field that the platform did not send is null. @publicApi */
export interface ReversalBulkPayment {
  /** Decimal string (`"100.0"`); null when the platform sent no readable amount. */
  amount: string | null;
  /** `Transferred`: the money went back. `Cancelled`: it did not. Any other status is not final. */
  status: string | null;
  /** ISO 8601, as the platform wrote it. */
  originationTime: string | null;
  /** Its own reference, not that of the transaction that is reversed. */
  transactionReference: string | null;
  /** The payment as the platform sent it. */
  raw: Record<string, unknown>;
}

/**
 * A reversal as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#reversals
 * @publicApi
 */
export interface Reversal {
  id: string;
  /** `Processed` says that the platform handled the request, not that the money went back: read `reversalBulkPayment`. */
  status: string | null;
  /** ISO 8601, as the platform wrote it. */
  createdAt: string | null;
  /** Reference of the transaction that is reversed. */
  transactionReference: string | null;
  reason: string | null;
  /** The payment that sends the money back; null until there is one. */
  reversalBulkPayment: ReversalBulkPayment | null;
  /** The platform's error messages; empty when it sent none. */
  errors: string[];
  /** The metadata of the request. */
  metadata: Metadata | null;
  /** `callbackUrl` has its MAC replaced by a hash, because the MAC is a secret. */
  links: { callbackUrl: string | null; self: string | null };
  /** The resource as the platform sent it, except for the MAC in its callback URL. */
  raw: Record<string, unknown>;
}

export function readReversal({ id, attributes, links, raw }: ResourceEnvelope): Reversal {
  const bulkPayment = wireObject(attributes['reversal_bulk_payment']);
  return {
    id,
    status: wireText(attributes['status']),
    createdAt: wireText(attributes['created_at']),
    transactionReference: wireText(attributes['transaction_reference']),
    reason: wireText(attributes['reason']),
    reversalBulkPayment: bulkPayment && readBulkPayment(bulkPayment),
    errors: wireTexts(attributes['errors']),
    metadata: wireObject(attributes['metadata']) as Metadata | null,
    links,
    raw,
  };
}

function readBulkPayment(wire: WireObject): ReversalBulkPayment {
  return {
    amount: readAmountValue(wire['amount']),
    status: wireText(wire['status']),
    originationTime: wireText(wire['origination_time']),
    transactionReference: wireText(wire['transaction_reference'])?.trim() || null,
    raw: wire,
  };
}

/** A request with its callback URL. */
export interface CompleteReversal {
  transactionReference: string;
  reason: string;
  metadata?: Metadata;
  callbackUrl: string;
}

export function toWireReversal(reversal: CompleteReversal): WireObject {
  return {
    transaction_reference: reversal.transactionReference,
    reason: reversal.reason,
    ...(reversal.metadata && { metadata: reversal.metadata }),
    _links: { callback_url: reversal.callbackUrl },
  };
}
