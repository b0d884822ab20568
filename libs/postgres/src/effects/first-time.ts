import { StoreUnavailableError, type HostTransaction } from '@tillkit/payments/internal/store';
import { effectsRecordSql } from '../generated/sql.js';
import { OpenTransaction } from '../host/host-transaction.js';
import { qualified } from '../functions/function-set.js';
import { requireSchemaName } from '../postgres.options.js';
import { storableText } from '../storable.js';

/**
 * Makes an effect of an event happen exactly once, although a listener is called at least once. It records the effect in your
 * transaction, so the record and the effect are committed together. A listener with `transactional: true` needs it not.
 * @param transaction your open transaction, in which you make the effect, as your library gives it
 * @param event the event that the listener received
 * @param effect a name for the effect, such as `orders.paid`. A listener with two effects uses two names
 * @param options `schema`: the schema of the store, if it is not `tillkit`
 * @returns true if the effect was not made before; false if it was
 * @throws StoreUnavailableError if another open transaction makes the effect now. Nothing was written, and your transaction can go on;
 * throw it on from the listener, which is called again
 * @throws PostgresConfigurationError if `schema` is not a valid name, or if `transaction` is no open transaction. Errors of the database
 * are those of your library
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
  const statement = qualified(effectsRecordSql, requireSchemaName(schema));
  const values = [event.account, event.eventId, effect].map(storableText);
  const answer = await (await OpenTransaction.of(transaction)).ask(statement, values);
  if (answer !== 'waits') return answer === 'first';
  throw new StoreUnavailableError(
    `another open transaction makes the effect "${effect}" of this event: the listener is called again`,
    { changedNothing: true },
  );
}
