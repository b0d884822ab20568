import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { MemoryStore } from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { times } from '../contracts/store-under-test.js';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { optionsOf, Shops, startShops } from '../support/shops.js';

let store: MemoryStore;
let simulator: Simulator;
let app: INestApplication;
let origin: string;
let shops: Shops;

beforeEach(async () => {
  store = new MemoryStore();
  shops = new Shops();
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
  ({ app, origin } = await startShops(store, shops));
});
afterEach(async () => {
  await Promise.all([app.close(), simulator.stop()]);
});
const post = async (account: string): Promise<number> =>
  (
    await deliverSigned(
      `${origin}/payments/accounts/${account}/webhooks`,
      webhookBody(),
      simulator.apiKey,
    )
  ).status;

it('A delivery of an account in use is not refused while outsiders post to many unknown names', async () => {
  // A name that was unknown a moment ago, until another process opened it.
  expect(await post('shop')).toBe(401);
  shops.options.set('shop', optionsOf(simulator));
  await store.accounts.noteStarts(['shop']);
  const list = store.accounts.list.bind(store.accounts);
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  store.accounts.list = async (...args) => {
    await answered;
    return list(...args);
  };
  const outsiders = times(350, (index) => post(`nobody-${index}`).catch(() => 0));
  const own = post('shop');
  answer();
  await Promise.all(outsiders);
  expect([200, 503]).toContain(await own);
});
