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

/** A payment that was sent before the restart, and whose read is overdue. */
const overdue = async (account: string): Promise<string> => {
  const payment = await recorded(store, aPayment(account, { allowParallel: true }));
  const { id } = await changed(
    store,
    payment,
    { state: 'requested', sender: 'a process that died' },
    { dueInMs: 0 },
  );
  return id;
};

it.each([19, 20])(
  'REVIEW the open payment of an account is worked on after a restart although another account, with %s open payments, cannot be loaded',
  async (open) => {
    for (const _ of times(open, (each) => each)) await overdue('broken');
    const id = await overdue('good');
    load = (account) => {
      if (account === 'good') return optionsOf(simulator);
      throw new Error('the vault has no secrets of this merchant');
    };
    await start();
    const until = Date.now() + 15_000;
    while (!loads.includes('good') && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(loads).toContain('good');
    expect(id).toBeTruthy();
  },
  60_000,
);

it('REVIEW the sweep of an account is found after a restart although merchants have left before', async () => {
  // 21 merchants that left: their plans stay for ever, and their secrets cannot be read any more.
  const left = times(21, (index) => `left-${index}`);
  await store.plannedWork.plan(left.map((account) => ({ account, kind: 'sweep', inMs: 0 })));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await store.plannedWork.plan([{ account: 'good', kind: 'sweep', inMs: 0 }]);
  load = (account) => {
    if (account === 'good') return optionsOf(simulator);
    throw new Error('the vault has no secrets of this merchant');
  };
  await start();
  const until = Date.now() + 15_000;
  while (!loads.includes('good') && Date.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 50));
  expect(new Set(loads)).toContain('good');
}, 60_000);

it('REVIEW the sweep of an account is found soon after a restart although the source has forgotten 400 merchants', async () => {
  const left = times(400, (index) => `left-${index}`);
  await store.plannedWork.plan(left.map((account) => ({ account, kind: 'sweep', inMs: 0 })));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await store.plannedWork.plan([{ account: 'good', kind: 'sweep', inMs: 0 }]);
  load = (account) => (account === 'good' ? optionsOf(simulator) : null);
  const port = await freePort();
  app = await listeningAt(port, EXPRESS, {
    imports: [
      moduleOf(PaymentsStore, store, true),
      // All defaults.
      PaymentsModule.forAccounts({ source: Shops, publicUrl: `http://127.0.0.1:${port}` }),
    ],
  });
  const until = Date.now() + 90_000;
  while (!loads.includes('good') && Date.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 200));
  expect({
    names: new Set(loads).size,
    loads: loads.length,
    good: loads.includes('good'),
  }).toMatchObject({ good: true });
}, 120_000);
