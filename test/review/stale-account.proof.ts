import { Injectable, type INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  AccountRemovedError,
  MemoryStore,
  PaymentsAccounts,
  PaymentsAccountsSource,
  PaymentsModule,
  PaymentsStore,
  type LoadedAccountOptions,
} from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { listeningAt, moduleOf } from '../support/application.js';
import { aPayout, aRequest } from '../support/merchant.js';
import { EXPRESS, freePort } from '../support/platforms.js';
import { optionsOf } from '../support/shops.js';

const REFRESH_MS = 100;
let store: MemoryStore;
let simulator: Simulator;
const apps: INestApplication[] = [];
let load: (account: string) => LoadedAccountOptions | null;

@Injectable()
class Shops extends PaymentsAccountsSource {
  async load(account: string): Promise<LoadedAccountOptions | null> {
    return load(account);
  }
}

beforeEach(async () => {
  store = new MemoryStore();
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
});
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
  await simulator.stop();
});

const start = async (): Promise<INestApplication> => {
  const port = await freePort();
  const app = await listeningAt(port, EXPRESS, {
    imports: [
      moduleOf(PaymentsStore, store, true),
      PaymentsModule.forAccounts({
        source: Shops,
        publicUrl: `http://127.0.0.1:${port}`,
        refreshMs: REFRESH_MS,
      }),
    ],
  });
  apps.push(app);
  return app;
};

const long = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, REFRESH_MS * 20));

it('REVIEW a payment is refused for an account that its source has removed long ago, also in a process that has not used it since', async () => {
  load = () => optionsOf(simulator);
  const app = await start();
  await app.get(PaymentsAccounts).get('shop');
  load = () => optionsOf(simulator, { removed: true });
  await long();
  const { payments } = await app.get(PaymentsAccounts).get('shop');
  await expect(payments.request(aRequest())).rejects.toThrow(AccountRemovedError);
});

it('REVIEW a payout is refused for an account that its source has removed long ago, also in a process that has not used it since', async () => {
  load = () => optionsOf(simulator);
  const app = await start();
  await app.get(PaymentsAccounts).get('shop');
  load = () => optionsOf(simulator, { removed: true });
  await long();
  const { payouts } = await app.get(PaymentsAccounts).get('shop');
  await expect(payouts.request(aPayout())).rejects.toThrow(AccountRemovedError);
});

it('REVIEW a payment goes to the till that its source has had for long', async () => {
  load = () => optionsOf(simulator);
  const app = await start();
  await app.get(PaymentsAccounts).get('shop');
  load = () => optionsOf(simulator, { tillNumber: '000123' });
  await long();
  const { payments } = await app.get(PaymentsAccounts).get('shop');
  expect((await payments.request(aRequest())).tillNumber).toBe('000123');
});
