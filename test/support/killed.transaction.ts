/**
 * Records a payment and an effect in a transaction of a host, and is killed before its commit.
 * Arguments: the library, the database, the account, and the id of the event.
 */
import { firstTime, PostgresStore } from '@tillkit/postgres';
import { aPayment } from '../contracts/store-under-test.js';
import { hostLibraries } from './host-libraries.js';

const [library, url, account, eventId] = process.argv.slice(2) as [string, string, string, string];
const { open } = hostLibraries().find((named) => named.library === library)!;
const host = await open(url);
const store = new PostgresStore({ connectionString: url });
await host.inTransaction(async (transaction) => {
  const how = { sendBeforeMs: 60_000, transaction };
  const { kind } = await store.operations.record(aPayment(account), how);
  const isFirst = await firstTime(transaction, { account, eventId }, 'credit');
  console.log(`${kind} ${isFirst}`);
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
});
