import type { ResourceEnvelope } from '../resource-envelope.js';
import { readTransaction, type Transaction } from '../transaction.resource.js';
import { wireObject, wireText } from '../wire-value.js';
import type { CreatePollingDto } from './create-polling.dto.js';

export const POLLING_TYPE = 'polling';

/**
 * The transactions of a time window. A field that the platform did not send is null.
 * @see docs/conformance.md#polling
 * @publicApi
 */
export interface Polling {
  id: string;
  /** `Success` when `transactions` is complete. */
  status: string | null;
  /** ISO 8601, as the platform wrote it; `fromTime` and `toTime` as well. */
  createdAt: string | null;
  fromTime: string | null;
  toTime: string | null;
  transactions: Transaction[];
  /** As the platform returns it: `Company` for the requested `company`. */
  scope: string | null;
  scopeReference: string | null;
  /** `callbackUrl` has its MAC replaced by a hash, because the MAC is a secret. */
  links: { callbackUrl: string | null; self: string | null };
  /** The resource as the platform sent it, except for the MAC in its callback URL. */
  raw: Record<string, unknown>;
}

export function readPolling(envelope: ResourceEnvelope): Polling {
  const { attributes } = envelope;
  const list = attributes['transactions'];
  const items: unknown[] = Array.isArray(list) ? list : [];
  return {
    id: envelope.id,
    status: wireText(attributes['status']),
    createdAt: wireText(attributes['created_at']),
    fromTime: wireText(attributes['from_time']),
    toTime: wireText(attributes['to_time']),
    transactions: items.flatMap((item) => {
      const entry = wireObject(item);
      return readTransaction(entry?.['resource'], entry?.['type']) ?? [];
    }),
    scope: wireText(attributes['scope']),
    scopeReference: wireText(attributes['scope_reference']),
    links: envelope.links,
    raw: envelope.raw,
  };
}

export function toWirePolling(dto: CreatePollingDto, callbackUrl: string): Record<string, unknown> {
  return {
    scope: dto.scope ?? 'company',
    scope_reference: dto.scopeReference ?? '',
    from_time: dto.fromTime,
    to_time: dto.toTime,
    _links: { callback_url: callbackUrl },
  };
}
