import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MemoryStore, PaymentsAccounts, StoreUnavailableError } from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest } from '../support/merchant.js';
import { optionsOf, Shops, startShops } from '../support/shops.js';
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
  ({ app, origin } = await startShops(store, shops, {
    refreshMs: 300,
    keepRemovedMs: 0,
    sending: { sendBeforeMs: 500 },
  }));
});
afterEach(async () => {
  await Promise.all([app.close(), simulator.stop()]);
});

const accounts = (): PaymentsAccounts => app.get(PaymentsAccounts);
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const set = (name: string, tillNumber: string, more = {}): unknown =>
  shops.options.set(
    name,
    optionsOf(simulator, { tillNumber, apiKeys: [`key-of-${name}`], ...more }),
  );
const post = async (account: string, key: string): Promise<number> =>
  (await deliverSigned(`${origin}/payments/accounts/${account}/webhooks`, webhookBody(), key))
    .status;
const tillOf = async (name: string): Promise<string> => {
  const { payments } = await accounts().get(name);
  return (await payments.request(aRequest({ allowParallel: true }))).tillNumber;
};
/** The source gives a the till of b, which b gives up afterwards. */
const opensARefused = async (): Promise<void> => {
  set('b', '000001');
  await accounts().get('b');
  set('b', '000002');
  set('a', '000001');
  await expect(accounts().get('a')).rejects.toThrow(/both have till/);
  await accounts().refresh('b');
  await until(() => accounts().names().includes('a'));
};

it('An account that was refused, and opened when another one gave up its till, takes a new key', async () => {
  await opensARefused();
  expect(await post('a', 'key-of-a')).toBe(200);
  set('a', '000001', { apiKeys: ['new key of a'] });
  await until(async () => (await post('a', 'new key of a')) === 200);
});

it('An account that was refused, and opened when another one gave up its till, can leave', async () => {
  await opensARefused();
  set('a', '000001', { removed: true });
  await until(async () => (await accounts().get('a')).isRemoved);
});

it.each([
  ['does not have', () => shops.options.delete('a')],
  ['has with another till', () => set('a', '514459')],
])(
  'An account that was refused and that the source then %s takes no till that another one gives up',
  async (_, correct) => {
    set('b', '000002');
    await accounts().get('b');
    set('a', '000002');
    await expect(accounts().get('a')).rejects.toThrow(/both have till/);
    correct();
    await accounts()
      .refresh('a')
      .catch(() => undefined);
    set('b', '000003');
    await accounts().refresh('b');
    await sleep(100);
    set('c', '000002');
    expect((await accounts().get('c')).name).toBe('c');
  },
);

it('A till that was mistyped and corrected at once is not charged when its owner gives it up', async () => {
  set('a', '514459');
  set('b', '000002');
  await accounts().get('a');
  await accounts().get('b');
  set('a', '000002');
  await expect(accounts().refresh('a')).rejects.toThrow(/both have till/);
  set('a', '514459');
  await accounts().refresh('a');
  set('b', '000003');
  await accounts().refresh('b');
  await sleep(100);
  expect(await tillOf('a')).toBe('514459');
});

it('refresh() applies what the source has, also after add() has changed the account', async () => {
  set('a', '514459');
  await accounts().get('a');
  await accounts().add('a', optionsOf(simulator, { tillNumber: '000009', apiKeys: ['key'] }));
  await accounts().refresh('a');
  expect(await tillOf('a')).toBe('514459');
});

it('refresh() of an account that the host has added, and that the source does not have, changes nothing', async () => {
  await accounts().add('added', optionsOf(simulator));
  await accounts().refresh('added');
  expect((await accounts().get('added')).isRemoved).toBe(false);
});

it('Of two changes of one account at once, the earlier one is not refused because the later one is wrong', async () => {
  const change = (name: string, tillNumber: string): Promise<unknown> =>
    accounts().add(name, optionsOf(simulator, { tillNumber, apiKeys: [name] }));
  await change('b', '000002');
  await change('a', '514459');
  const results = await Promise.allSettled([change('a', '000005'), change('a', '000002')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

it('An account keeps its till after a change that failed', async () => {
  const change = (name: string, tillNumber: string, more = {}): Promise<unknown> =>
    accounts().add(name, optionsOf(simulator, { tillNumber, apiKeys: [name], ...more }));
  await change('a', '000001');
  const note = store.accounts.noteStarts.bind(store.accounts);
  store.accounts.noteStarts = () => Promise.reject(new StoreUnavailableError('it is away'));
  const sweptRarely = { reconciliation: { sweepEveryMs: 60_000 } };
  await expect(change('a', '000002', sweptRarely)).rejects.toThrow(StoreUnavailableError);
  store.accounts.noteStarts = note;
  await expect(change('b', '000001')).rejects.toThrow(/both have till/);
  await change('c', '000002');
});

it('An account whose option removed is no boolean is refused', async () => {
  set('a', '514459', { removed: 'no' });
  await expect(accounts().get('a')).rejects.toThrow(
    /cannot open the account:.*option "removed" of account "a" must be true or false/s,
  );
});

it('Two accounts that are added at the same moment can exchange their tills', async () => {
  const change = (name: string, tillNumber: string): Promise<unknown> =>
    accounts().add(name, optionsOf(simulator, { tillNumber, apiKeys: [name] }));
  await Promise.all([change('a', '000001'), change('b', '000002')]);
  await expect(change('a', '000002')).rejects.toThrow(/both have till/);
  await Promise.all([change('a', '000002'), change('b', '000001')]);
});

it('An account that was refused, removed and forgotten is not opened when another one gives up its till', async () => {
  set('a', '000001');
  set('b', '000002');
  await accounts().get('a');
  await accounts().get('b');
  set('a', '000002');
  await expect(accounts().refresh('a')).rejects.toThrow(/both have till/);
  accounts().remove('a');
  await until(() => !accounts().names().includes('a'));
  set('b', '000003');
  await accounts().refresh('b');
  set('c', '000002');
  expect((await accounts().get('c')).name).toBe('c');
  expect(accounts().names()).not.toContain('a');
});
