import type { PaymentsAccount } from '@tillkit/payments';
import {
  operationIdOf,
  type DeliverySummary,
  type Operation,
} from '@tillkit/payments/internal/store';
import { MOST_DELIVERIES } from '../timeline/delivery-entries.format.js';

/** Returns the callbacks of an operation, and the webhooks that reported its transaction. */
export async function deliveriesOf(
  { store, name }: PaymentsAccount,
  { id, transaction }: Pick<Operation, 'id' | 'transaction'>,
): Promise<DeliverySummary[]> {
  const page = { limit: MOST_DELIVERIES };
  const reference = transaction?.reference;
  const record = reference ? await store.transactions.find(name, reference) : null;
  const own = record?.sums.filter((sum) => operationIdOf(sum) === id) ?? [];
  const ids = own.flatMap(({ webhookDeliveryIds }) => webhookDeliveryIds);
  const [callbacks, webhooks] = await Promise.all([
    store.deliveries.list(name, { resourceId: id }, page),
    ids.length > 0 ? store.deliveries.list(name, { ids }, page) : { items: [] },
  ]);
  return [...callbacks.items, ...webhooks.items];
}
