import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PaymentsAccounts, PaymentsModule, type PaymentsAccount } from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import { freshDatabase, PATIENT, type TestDatabase } from '../contracts/test-database.js';
import { aRequestOfAnother, Merchant } from '../support/merchant.js';
import { poolOf } from '../support/pool.js';
import {
  CREATE,
  created,
  json,
  ScriptedPlatform,
  type Handler,
} from '../support/scripted.platform.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let store: PostgresStore;
let merchant: Merchant;
let platform: ScriptedPlatform;
let create: Handler;

beforeEach(async () => {
  database = await freshDatabase();
  store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 8 });
  platform = await ScriptedPlatform.open();
  let ids = 0;
  create = (request, response) => created(`an-id-${(ids += 1)}`)(request, response);
  platform.on(CREATE, create);
  merchant = await Merchant.open({
    payments: { store, reconciliation: false },
    imports: [
      PaymentsModule.forAccounts({
        reconciliation: { sweepEveryMs: 0, intervalMs: 50, scheduleMs: [1_000] },
      }),
    ],
  });
});
afterEach(async () => {
  await merchant.close();
  await store.close();
  await platform.close();
  await database.drop();
});

const add = (name: string, index: number): Promise<PaymentsAccount> =>
  merchant.app.get(PaymentsAccounts).add(name, {
    baseUrl: platform.url,
    clientId: name,
    clientSecret: 'a-secret',
    publicUrl: merchant.url,
    apiKeys: [`key-${index}`],
    tillNumber: `00010${index}`,
  });

/** Records payments in one transaction of the host. */
const recordAll = async (
  accounts: readonly PaymentsAccount[],
  each: number,
  beforeCommit?: () => Promise<unknown>,
): Promise<void> => {
  const pool = poolOf(database.url, { max: 1 });
  const transaction = await pool.connect();
  await transaction.query('begin');
  for (const account of accounts)
    for (let index = 0; index < each; index += 1)
      await account.payments.record(aRequestOfAnother(), { transaction });
  await beforeCommit?.();
  await transaction.query('commit');
  transaction.release();
  await pool.end();
};
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('a payment of record() is sent soon although the platform wants no creates of four other accounts', async () => {
  const closed = await Promise.all([1, 2, 3, 4].map((index) => add(`closed-${index}`, index)));
  const open = await add('open', 9);
  const wait = json(503, {}, { 'retry-after': '40' });
  platform.on(CREATE, wait, wait, wait, wait, create);
  for (const account of closed) await account.payments.request(aRequestOfAnother());
  expect(platform.count(CREATE)).toBe(4);
  await recordAll(closed, 10);
  await sleep(2_000);
  await recordAll([open], 1);
  await until(() => platform.count(CREATE) === 5);
});

it('an account is read while it is paused, although ten payments of record() wait to be sent', async () => {
  const shop = await add('shop', 1);
  const read = 'GET /api/v2/incoming_payments/an-id-1';
  await shop.payments.request(aRequestOfAnother());
  await recordAll([shop], 10, () =>
    merchant.app
      .get(PaymentsAccounts)
      .pause({ account: 'shop', by: 'jane', note: 'the till was moved' }),
  );
  await sleep(1_000);
  const before = platform.count(read);
  await until(() => platform.count(read) > before + 1);
});
