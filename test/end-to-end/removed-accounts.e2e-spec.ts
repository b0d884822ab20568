import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PaymentsAccounts, PaymentsModule, type PaymentsAccount } from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import { freshDatabase, PATIENT, type TestDatabase } from '../contracts/test-database.js';
import { poolOf } from '../support/pool.js';
import { aRequest, Merchant } from '../support/merchant.js';
import { until } from '../support/until.js';

const SEND_BEFORE_MS = 300;

let database: TestDatabase;
let store: PostgresStore;
let merchant: Merchant;
let account: PaymentsAccount;

beforeEach(async () => {
  database = await freshDatabase();
  store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
  merchant = await Merchant.open({
    speed: 10,
    // Only the database of the host plays a part, not its HTTP adapter.
    payments: { store, reconciliation: false },
    imports: [
      PaymentsModule.forAccounts({
        reconciliation: { sweepEveryMs: 0, intervalMs: 20 },
        keepRemovedMs: 20_000,
      }),
    ],
  });
  const { url: baseUrl, clientId, clientSecret } = merchant.simulator;
  account = await merchant.app.get(PaymentsAccounts).add('shop', {
    baseUrl,
    clientId,
    clientSecret,
    publicUrl: merchant.url,
    apiKeys: ['key'],
    tillNumber: '000123',
    sending: { sendBeforeMs: SEND_BEFORE_MS },
  });
});

afterEach(async () => {
  await merchant.close();
  await store.close();
  await database.drop();
});

it('A payment that the host commits long after its account was removed fails, and is not sent', async () => {
  const accounts = merchant.app.get(PaymentsAccounts);
  const pool = poolOf(database.url, { max: 1 });
  const transaction = await pool.connect();
  await transaction.query('begin');
  const { id } = await account.payments.record(aRequest(), { transaction });
  accounts.remove('shop');
  // By then the payment may not be sent any more, and the process has looked whether something is open.
  await new Promise((resolve) => setTimeout(resolve, 4 * SEND_BEFORE_MS));
  await transaction.query('commit');
  transaction.release();
  await until(async () => (await store.operations.find('shop', id))?.state === 'failed');
  await until(() => !accounts.names().includes('shop'));
  expect(merchant.simulator.charges()).toEqual([]);
  await pool.end();
});
