import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  AccountRemovedError,
  MemoryStore,
  PaymentsAccounts,
  type PaymentsAccount,
} from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { aPayout, aRequest } from '../support/merchant.js';
import { optionsOf, Shops, startShops } from '../support/shops.js';

const REFRESH_MS = 100;
let simulator: Simulator;
let shops: Shops;
let app: INestApplication;
let accounts: PaymentsAccounts;

/** An account that this process has loaded. */
beforeEach(async () => {
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
  shops = new Shops();
  shops.options.set('shop', optionsOf(simulator));
  ({ app } = await startShops(new MemoryStore(), shops, { refreshMs: REFRESH_MS }));
  accounts = app.get(PaymentsAccounts);
  await accounts.get('shop');
});
afterEach(async () => {
  await Promise.all([app.close(), simulator.stop()]);
});

const long = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, REFRESH_MS * 3));

it.each<[string, (account: PaymentsAccount) => Promise<unknown>]>([
  ['payment', ({ payments }) => payments.request(aRequest())],
  ['payout', ({ payouts }) => payouts.request(aPayout())],
])(
  'A %s is refused for an account that its source has removed long ago, also in a process that has not used it since',
  async (_, request) => {
    shops.options.set('shop', { ...optionsOf(simulator), removed: true });
    await long();
    await expect(request(await accounts.get('shop'))).rejects.toThrow(AccountRemovedError);
  },
);

it('A payment goes to the till that its source has had for long', async () => {
  shops.options.set('shop', optionsOf(simulator, { tillNumber: '000123' }));
  await long();
  const { payments } = await accounts.get('shop');
  expect((await payments.request(aRequest())).tillNumber).toBe('000123');
});

it('A payment is requested with the settings that are known while the source is away', async () => {
  shops.failure = () => Promise.reject(new Error('the vault is sealed'));
  await long();
  const { payments } = await accounts.get('shop');
  expect((await payments.request(aRequest())).state).toBe('pending');
});
