import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MemoryStore, PaymentsAccounts } from '@tillkit/payments';
import type { PaymentsAccountsOptions } from '@tillkit/payments/types';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { aRequest } from '../support/merchant.js';
import { optionsOf, Shops, startShops } from '../support/shops.js';

let simulator: Simulator;
let apps: INestApplication[];
let shops: Shops;
let store: MemoryStore;

beforeEach(async () => {
  apps = [];
  shops = new Shops();
  store = new MemoryStore();
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
});
afterEach(async () => {
  await Promise.all([...apps.map((app) => app.close()), simulator.stop()]);
});
const start = async (
  source: Shops | null,
  options: PaymentsAccountsOptions = {},
): Promise<PaymentsAccounts> => {
  const { app } = await startShops(store, source, { reconciliation: false, ...options });
  apps.push(app);
  return app.get(PaymentsAccounts);
};
const JANE = { account: 'shop', by: 'jane', note: 'a key is stolen' };

it('A pause of an account that is known does not wait for a vault that hangs', async () => {
  const accounts = await start(shops, { refreshMs: 1 });
  shops.options.set('shop', optionsOf(simulator));
  await accounts.get('shop');
  let answer = (): void => undefined;
  shops.failure = () => new Promise((resolve) => (answer = () => resolve(null)));
  expect(await accounts.pause(JANE)).toBe(true);
  expect(await accounts.pauses()).toMatchObject([JANE]);
  answer();
});

it('An account that another process has added can be paused, and its pause be ended', async () => {
  const [one, other] = [await start(null), await start(null)];
  const { payments } = await one.add('shop', optionsOf(simulator));
  expect(await other.pause(JANE)).toBe(true);
  await expect(payments.request(aRequest())).rejects.toMatchObject({ by: 'jane' });
  expect(await other.resume(JANE)).toBe(true);
  expect((await payments.request(aRequest())).state).toBe('pending');
});

it('A pause of an account that the source does not have any more can be ended', async () => {
  const [one, other] = [await start(shops), await start(shops)];
  shops.options.set('shop', optionsOf(simulator));
  await one.get('shop');
  await one.pause(JANE);
  shops.options.delete('shop');
  expect(await other.resume(JANE)).toBe(true);
});
