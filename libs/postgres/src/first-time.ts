import type { HostTransaction } from '@tillkit/payments/store';
import { rowsOf } from './host-transaction.js';
import { requireSchemaName } from './postgres.options.js';
import { BEGIN_EFFECT } from './sql/effects.sql.js';
import { storableText } from './storable.js';

/**
 * Whether an effect of an event is made for the first time, asked inside the host's own transaction: it is remembered
 * by the same commit that makes the effect. A listener is called at least once; what it does behind this happens exactly
 * once.
 * @param transaction the open transaction in which the effect is made: a `pg` client, TypeORM's `EntityManager`, or anything
 * with `query(text, values)`
 * @param event the event as the listener got it
 * @param effect names what is done, such as `orders.paid`: a listener with two effects asks twice
 * @example
 * await dataSource.transaction(async (manager) => {
 *   if (!(await firstTime(manager, event, 'orders.paid'))) return;
 *   await manager.update(Order, event.payment.idempotencyKey, { paid: true });
 * });
 * @publicApi
 */
export async function firstTime(
  transaction: HostTransaction,
  event: { readonly eventId: string; readonly account: string },
  effect: string,
  { schema }: { schema?: string } = {},
): Promise<boolean> {
  const text = BEGIN_EFFECT.replaceAll(':schema', `"${requireSchemaName(schema)}"`);
  const values = [event.account, event.eventId, effect].map(storableText);
  return rowsOf(await transaction.query(text, values)).length > 0;
}
