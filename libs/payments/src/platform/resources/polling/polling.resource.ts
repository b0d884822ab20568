import type { ResourceEnvelope } from '../../../money/resource-envelope.js';
import { readTransaction } from '../../transaction.resource.js';
import type { Transaction } from '../../../money/transaction.js';
import { wireObject, wireText, type WireObject } from '../../wire-value.js';
import type { CreatePollingDto } from './create-polling.dto.js';

export const POLLING_TYPE = 'polling';

/** One of these makes an item without `resource` a transaction. */
const FLAT_FIELDS = ['reference', 'amount', 'till_number'] as const;

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
  /** Items of the list that are no transactions, so that there is more money than `transactions` shows; 1 when the whole list is unreadable. */
  unreadable: number;
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
  const transactions = items.flatMap((item) => readItem(wireObject(item), envelope.latest) ?? []);
  const status = wireText(attributes['status']);
  return {
    id: envelope.id,
    status,
    createdAt: wireText(attributes['created_at']),
    fromTime: wireText(attributes['from_time']),
    toTime: wireText(attributes['to_time']),
    transactions,
    unreadable: isNoList(list, status) ? 1 : items.length - transactions.length,
    scope: wireText(attributes['scope']),
    scopeReference: wireText(attributes['scope_reference']),
    links: envelope.links,
    raw: envelope.raw,
  };
}

/** Whether something stands where the list must be. Before its end, a polling has none. */
function isNoList(list: unknown, status: string | null): boolean {
  return !Array.isArray(list) && ((list ?? null) !== null || status === 'Success');
}

/** The transaction of an item: under `resource`, or the item itself. */
function readItem(item: WireObject | null, latest?: number): Transaction | null {
  if (!item) return null;
  const isFlat = item['resource'] === undefined && FLAT_FIELDS.some((name) => name in item);
  return readTransaction(isFlat ? item : item['resource'], item['type'], 'till', latest);
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
