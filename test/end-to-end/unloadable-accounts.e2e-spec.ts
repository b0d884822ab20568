import { Injectable, type INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  PaymentsAccountsSource,
  PaymentsModule,
  PaymentsStore,
  type LoadedAccountOptions,
} from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { aPayment, changed, recorded, times } from '../contracts/store-under-test.js';
import { freshDatabase, PATIENT, type TestDatabase } from '../contracts/test-database.js';
import { listeningAt, moduleOf } from '../support/application.js';
import { EXPRESS, freePort } from '../support/platforms.js';
import { optionsOf } from '../support/shops.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let store: PostgresStore;
let simulator: Simulator;
let app: INestApplication;
const loads: string[] = [];
let load: (account: string) => LoadedAccountOptions | null;

@Injectable()
class Shops extends PaymentsAccountsSource {
  async load(account: string): Promise<LoadedAccountOptions | null> {
    loads.push(account);
    return load(account);
  }
}

beforeEach(async () => {
  loads.length = 0;
  database = await freshDatabase();
  store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
});
afterEach(async () => {
  await app.close();
  await simulator.stop();
  await store.close();
  await database.drop();
});

const start = async (): Promise<void> => {
  const port = await freePort();
  app = await listeningAt(port, EXPRESS, {
    imports: [
      moduleOf(PaymentsStore, store, true),
      PaymentsModule.forAccounts({
        source: Shops,
        publicUrl: `http://127.0.0.1:${port}`,
        reconciliation: { intervalMs: 50, sweepEveryMs: 0 },
      }),
    ],
  });
};

const fail = (): never => {
  throw new Error('the vault has no secrets of this merchant');
};

it('The open payment of an account is worked on after a restart although another one, with 20 open payments, cannot be loaded', async () => {
  for (const account of [...times(20, () => 'broken'), 'good']) {
    const payment = await recorded(store, aPayment(account, { allowParallel: true }));
    const sent = { state: 'requested', sender: 'a process that died' } as const;
    await changed(store, payment, sent, { dueInMs: 0 });
  }
  load = (account) => (account === 'good' ? optionsOf(simulator) : fail());
  await start();
  await until(() => loads.includes('good'));
}, 60_000);

it.each<[number, string, () => null]>([
  [21, 'cannot be loaded', fail],
  [400, 'have left', () => null],
])(
  'The sweep of an account is found soon after a restart although %s others %s',
  async (count, _, loadOther) => {
    const left = times(count, (index) => `left-${index}`);
    await store.plannedWork.plan(left.map((account) => ({ account, kind: 'sweep', inMs: 0 })));
    await store.plannedWork.plan([{ account: 'good', kind: 'sweep', inMs: 1 }]);
    load = (account) => (account === 'good' ? optionsOf(simulator) : loadOther());
    await start();
    await until(() => loads.includes('good'));
  },
  60_000,
);
