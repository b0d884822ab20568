import type { HostTransaction } from '@tillkit/payments/internal/store';
import type { Row } from '../row.js';
import { rowsOf } from '../operations/host-transaction.js';
import { requireSchemaName } from '../postgres.options.js';
import { effectsRecordSql } from '../generated/sql.js';
import { storableText } from '../storable.js';

/**
 * Makes an effect of an event happen exactly once, although a listener is called at least once. It records the effect in your
 * transaction, so the record and the effect are committed together.
 * @param transaction your open transaction, in which you make the effect: a `pg` client, TypeORM's `EntityManager`, or any object
 * with `query(text, values)`
 * @param event the event that the listener received
 * @param effect a name for the effect, such as `orders.paid`. A listener with two effects uses two names
 * @param options `schema`: the schema of the store, if it is not `tillkit`
 * @returns true if the effect was not made before; false if it was. If another transaction is making it, the call waits for
 * the end of that transaction, at most 3 s, or your `lock_timeout`; then it fails with PostgreSQL's error 55P03, and the listener is called again
 * @throws PostgresConfigurationError if `schema` is not a valid name, or if `query` does not return rows. Errors of the database are
 * those of your driver
 * @see docs/events.md#once-in-your-own-database
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
  const text = effectsRecordSql.replaceAll(':schema', `"${requireSchemaName(schema)}"`);
  const values = [event.account, event.eventId, effect].map(storableText);
  const [row] = rowsOf(await transaction.query(text, values));
  return typeof (row as Row)['event_id'] === 'string';
}
