import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, it } from '@jest/globals';
import { PostgresStore } from '@tillkit/postgres';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { aPayment, changed, recorded, times } from '../contracts/store-under-test.js';
import { freshDatabase, PATIENT, type TestDatabase } from '../contracts/test-database.js';
import { optionsOf, Shops, startShops } from '../support/shops.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let store: PostgresStore;
let simulator: Simulator;
let shops: Shops;
let app: INestApplication;

beforeEach(async () => {
  database = await freshDatabase();
  store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
  shops = new Shops();
});
afterEach(async () => {
  await Promise.all([app.close(), simulator.stop()]);
  await store.close();
  await database.drop();
});

/** Restarts, and waits until the account is loaded that the source has. */
const findsTheGoodOne = async (others: () => Promise<null>): Promise<void> => {
  shops.failure = async (account) => (account === 'good' ? optionsOf(simulator) : others());
  const options = { reconciliation: { intervalMs: 50, sweepEveryMs: 0 } };
  ({ app } = await startShops(store, shops, options, { speed: 10 }));
  await until(() => shops.loads.includes('good'));
};

const fail = (): Promise<null> =>
  Promise.reject(new Error('the vault has no secrets of this merchant'));

it('The open payment of an account is worked on after a restart although another one, with 20 open payments, cannot be loaded', async () => {
  for (const account of [...times(20, () => 'broken'), 'good']) {
    const payment = await recorded(store, aPayment(account));
    const sent = { state: 'requested', sender: 'a process that died' } as const;
    await changed(store, payment, sent, { dueInMs: 0 });
  }
  await findsTheGoodOne(fail);
});

it.each<[number, string, () => Promise<null>]>([
  [21, 'cannot be loaded', fail],
  [400, 'have left', async () => null],
])(
  'The sweep of an account is found soon after a restart although %s others %s',
  async (count, _, others) => {
    const left = times(count, (index) => `left-${index}`);
    await store.plannedWork.plan(left.map((account) => ({ account, kind: 'sweep', inMs: 0 })));
    await store.plannedWork.plan([{ account: 'good', kind: 'sweep', inMs: 1 }]);
    await findsTheGoodOne(others);
  },
);
