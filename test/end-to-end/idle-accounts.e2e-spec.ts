import { Injectable, type INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  AccountRemovedError,
  MemoryStore,
  PaymentsAccounts,
  PaymentsAccountsSource,
  PaymentsModule,
  PaymentsStore,
  type PaymentsAccount,
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

const start = async (): Promise<PaymentsAccounts> => {
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
  return app.get(PaymentsAccounts);
};

const long = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, REFRESH_MS * 20));

it.each<[string, (account: PaymentsAccount) => Promise<unknown>]>([
  ['payment', ({ payments }) => payments.request(aRequest())],
  ['payout', ({ payouts }) => payouts.request(aPayout())],
])(
  'A %s is refused for an account that its source has removed long ago, also in a process that has not used it since',
  async (_, request) => {
    load = () => optionsOf(simulator);
    const accounts = await start();
    await accounts.get('shop');
    load = () => optionsOf(simulator, { removed: true });
    await long();
    await expect(request(await accounts.get('shop'))).rejects.toThrow(AccountRemovedError);
  },
);

it('A payment goes to the till that its source has had for long', async () => {
  load = () => optionsOf(simulator);
  const accounts = await start();
  await accounts.get('shop');
  load = () => optionsOf(simulator, { tillNumber: '000123' });
  await long();
  const { payments } = await accounts.get('shop');
  expect((await payments.request(aRequest())).tillNumber).toBe('000123');
});

it('A payment is requested with the settings that are known while the source is away', async () => {
  load = () => optionsOf(simulator);
  const accounts = await start();
  await accounts.get('shop');
  load = () => {
    throw new Error('the vault is sealed');
  };
  await long();
  const { payments } = await accounts.get('shop');
  expect((await payments.request(aRequest())).state).toBe('pending');
});
