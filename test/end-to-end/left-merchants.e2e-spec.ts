import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  MemoryStore,
  PaymentsAccounts,
  type AddedAccountOptions,
} from '@tillkit/payments';
import type { PaymentsAccountsOptions } from '@tillkit/payments/types';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest, aRequestFrom } from '../support/merchant.js';
import { quickTime } from '../support/quick.clock.js';
import { RecordedEvents } from '../support/recorded-events.listener.js';
import { optionsOf, Shops, startShops } from '../support/shops.js';
import { requestsTo } from '../support/platform.requests.js';
import { until } from '../support/until.js';

let simulator: Simulator;
let store: MemoryStore;
let app: INestApplication;
let origin: string;
let shops: Shops;

beforeEach(async () => {
  store = new MemoryStore();
  shops = new Shops();
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
});
afterEach(async () => {
  await Promise.all([app.close(), simulator.stop()]);
});
const QUICKLY_CLOSED = { keepRemovedMs: 0, sending: { sendBeforeMs: 500 } };
const start = async (options: PaymentsAccountsOptions = {}): Promise<PaymentsAccounts> => {
  ({ app, origin } = await startShops(store, shops, { reconciliation: false, ...options }));
  return app.get(PaymentsAccounts);
};
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const set = (name: string, more: Partial<AddedAccountOptions> = {}): unknown =>
  shops.options.set(name, optionsOf(simulator, { apiKeys: [`key-of-${name}`], ...more }));
const post = (account: string, reference: string): Promise<{ status: number }> =>
  deliverSigned(
    `${origin}/payments/accounts/${account}/webhooks`,
    webhookBody({ reference }),
    `key-of-${account}`,
  );

it.each<[string, (accounts: PaymentsAccounts) => Promise<(phone: string) => Promise<unknown>>]>([
  [
    'payment',
    async (accounts) => {
      const { payments } = await accounts.get('shop');
      return (phone) => payments.request(aRequestFrom(phone));
    },
  ],
  [
    'bare request',
    async (accounts) => {
      const bare = (await accounts.get('shop')).get(IncomingPaymentsService);
      const { subscriber, amount } = aRequest();
      return () => bare.create({ subscriber, amount });
    },
  ],
])('Services that a host keeps send no %s for a merchant who has left', async (_, kept) => {
  const accounts = await start({ refreshMs: 100 });
  set('shop');
  const send = await kept(accounts);
  await send('+254700000021');
  const sent = simulator.charges().length;
  set('shop', { removed: true });
  await sleep(150);
  await expect(send('+254700000022')).rejects.toMatchObject({ code: 'PAYMENTS_ACCOUNT_REMOVED' });
  expect(simulator.charges()).toHaveLength(sent);
});

it('A process that was idle does not take a delivery that is signed with a key that was revoked', async () => {
  const accounts = await start({ refreshMs: 2_000 });
  set('shop');
  await accounts.get('shop');
  set('shop', { apiKeys: ['new key'] });
  await sleep(2_100);
  // The platform sends it again: then it is clear that nobody has this key.
  expect((await post('shop', 'ONE')).status).toBe(503);
  await until(async () => (await post('shop', 'ONE')).status === 401);
});

it('remove() holds although the source gives new keys, until it says itself that the merchant has left', async () => {
  const accounts = await start();
  set('shop');
  const { payments } = await accounts.get('shop');
  accounts.remove('shop');
  set('shop', { apiKeys: ['key', 'new key'] });
  await accounts.refresh('shop');
  await expect(payments.request(aRequest())).rejects.toThrow(/removed/);
  set('shop', { removed: true });
  await accounts.refresh('shop');
  set('shop', { apiKeys: ['newest key', simulator.apiKey] });
  await accounts.refresh('shop');
  expect((await payments.request(aRequest())).state).toBe('pending');
});

it('The till of a merchant who has left is free at once, and its money is that of the next account only', async () => {
  const accounts = await start();
  set('old');
  await accounts.get('old');
  expect((await post('old', 'BEFORE')).status).toBe(200);
  accounts.remove('old');
  set('next');
  const { payments } = await accounts.get('next');
  for (const account of ['old', 'next']) expect((await post(account, 'AFTER')).status).toBe(200);
  const at = { reference: 'AFTER', tillNumber: '514459' };
  await until(async () => (await payments.findTransaction(at)) !== null);
  const done = { state: 'done' } as const;
  await until(
    async () => (await store.deliveries.list('old', done, { limit: 9 })).items.length === 2,
  );
  const known = (await store.transactions.list('old', {}, { limit: 9 })).items;
  expect(known.map(({ reference }) => reference)).toEqual(['BEFORE']);
});

it('A merchant who has left, and whose account is closed, is not loaded and swept again and again', async () => {
  const accounts = await start({
    ...QUICKLY_CLOSED,
    reconciliation: { intervalMs: 20, sweepEveryMs: 3_000 },
  });
  set('shop', { apiKeys: [simulator.apiKey] });
  await accounts.get('shop');
  set('shop', { apiKeys: [simulator.apiKey], removed: true });
  await accounts.refresh('shop');
  await until(() => accounts.names().length === 0);
  // The results of polling requests that were under way may load it once more.
  await simulator.idle();
  await sleep(1_000);
  const polls = (): number => requestsTo(simulator, '/polling').length;
  const before = polls();
  await sleep(4_000);
  expect(polls()).toBe(before);
});

it('The services of an account that is closed throw an error that says what to do', async () => {
  const accounts = await start(QUICKLY_CLOSED);
  set('shop', { apiKeys: [simulator.apiKey] });
  const { payments } = await accounts.get('shop');
  const { id } = await payments.request(aRequest());
  await payments.settled(id);
  accounts.remove('shop');
  await until(() => accounts.names().length === 0);
  await expect(payments.request(aRequestFrom('+254700000002'))).rejects.toThrow(
    /no account "shop": add it/,
  );
});

it('Money at the till of the next merchant is not reported for the former one, whose payment link is still open', async () => {
  const received = new RecordedEvents();
  store = new MemoryStore(quickTime(10));
  const providers = [{ provide: RecordedEvents, useValue: received }];
  const options = { reconciliation: false } as const;
  ({ app, origin } = await startShops(store, shops, options, { providers, speed: 10 }));
  const accounts = app.get(PaymentsAccounts);
  set('old');
  const { paymentLinks } = await accounts.get('old');
  const link = { idempotencyKey: 'link', amount: { currency: 'KES', value: '100.00' } };
  await paymentLinks.request({ ...link, paymentReference: 'order 7' });
  accounts.remove('old');
  set('next');
  await accounts.get('next');
  for (const account of ['old', 'next']) expect((await post(account, 'MONEY')).status).toBe(200);
  const done = { state: 'done' } as const;
  for (const account of ['old', 'next'])
    await until(
      async () => (await store.deliveries.list(account, done, { limit: 9 })).items.length === 1,
    );
  await received.next('till.transaction.received', ({ account }) => account === 'next');
  const reported = received.named('till.transaction.received').map(({ account }) => account);
  expect(reported).toEqual(['next']);
});
