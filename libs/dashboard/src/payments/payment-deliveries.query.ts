import type { PaymentsAccount } from '@tillkit/payments';
import type { DeliverySummary, PaymentRecord } from '@tillkit/payments/store';
import { MOST_DELIVERIES } from '../timeline/delivery-entries.format.js';

/** The callbacks of a payment, and the webhooks that reported its transaction. */
export async function deliveriesOf(
  { store, name }: PaymentsAccount,
  { id, transaction }: PaymentRecord,
): Promise<DeliverySummary[]> {
  const page = { limit: MOST_DELIVERIES };
  const reference = transaction?.reference;
  const record = reference ? await store.transactions.find(name, reference) : null;
  const own = record?.sums.filter(({ paymentId }) => paymentId === id) ?? [];
  const ids = own.flatMap(({ webhookDeliveryIds }) => webhookDeliveryIds);
  const [callbacks, webhooks] = await Promise.all([
    store.deliveries.list(name, { resourceId: id }, page),
    ids.length > 0 ? store.deliveries.list(name, { ids }, page) : { items: [] },
  ]);
  return [...callbacks.items, ...webhooks.items];
}
