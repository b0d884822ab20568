import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MemoryStore, PaymentsAccounts, StoreUnavailableError } from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { aRequestOfAnother } from '../support/merchant.js';
import { optionsOf, Shops, startShops } from '../support/shops.js';
import { until } from '../support/until.js';

let simulator: Simulator;
let store: MemoryStore;
let app: INestApplication;
let shops: Shops;

beforeEach(async () => {
  store = new MemoryStore();
  shops = new Shops();
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
  ({ app } = await startShops(store, shops, {
    refreshMs: 300,
    keepRemovedMs: 0,
    sending: { sendBeforeMs: 500 },
  }));
});
afterEach(async () => {
  await Promise.all([app.close(), simulator.stop()]);
});

const accounts = (): PaymentsAccounts => app.get(PaymentsAccounts);
const set = (name: string, tillNumber: string, more = {}): unknown =>
  shops.options.set(
    name,
    optionsOf(simulator, { tillNumber, apiKeys: [`key-of-${name}`], ...more }),
  );
const tillOf = async (name: string): Promise<string> => {
  const { payments } = await accounts().get(name);
  return (await payments.request(aRequestOfAnother())).tillNumber;
};
it('An account with the till of another one is opened when that one has left, or when a person has released the till', async () => {
  set('b', '000001');
  set('c', '000002');
  await Promise.all([accounts().get('b'), accounts().get('c')]);
  set('a', '000001');
  await expect(accounts().get('a')).rejects.toThrow(
    /both have till 000001.*npx @tillkit\/cli accounts release b --till 000001/s,
  );
  // Other settings give nothing up: they may be a mistake.
  set('b', '000003');
  await accounts().refresh('b');
  await expect(accounts().get('a')).rejects.toThrow(/both have till/);
  const jane = { by: 'jane@shop.example', note: 'b has sold it' };
  expect(await accounts().release({ account: 'b', till: '000001', ...jane })).toEqual(['000001']);
  expect((await accounts().get('a')).name).toBe('a');
  set('d', '000002');
  await expect(accounts().get('d')).rejects.toThrow(/both have till/);
  set('c', '000002', { removed: true });
  await accounts().refresh('c');
  await until(() =>
    accounts()
      .get('d')
      .then(
        () => true,
        () => false,
      ),
  );
});

it('An account that its source has lost keeps its till', async () => {
  set('b', '000001');
  await accounts().get('b');
  shops.options.delete('b');
  await accounts()
    .refresh('b')
    .catch(() => undefined);
  set('a', '000001');
  await expect(accounts().get('a')).rejects.toThrow(/both have till/);
});

it.each([
  ['an account that is none', { account: 'no name', by: 'jane', note: 'why' }, 'account'],
  ['a till that is none', { account: 'b', till: 'nothing', by: 'jane', note: 'why' }, 'till'],
  ['an empty name of a person', { account: 'b', by: ' ', note: 'why' }, 'by'],
  ['an empty reason', { account: 'b', by: 'jane', note: '' }, 'note'],
])('A till is not released with %s, and the error names the field', async (_, release, field) => {
  set('b', '000001');
  await accounts().get('b');
  await expect(accounts().release(release)).rejects.toMatchObject({ problems: [{ field }] });
  expect(await store.accounts.release('b', null)).toEqual(['000001']);
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

it('An account keeps its tills after a change that failed, also the new one: another process may have it already', async () => {
  const change = (name: string, tillNumber: string, more = {}): Promise<unknown> =>
    accounts().add(name, optionsOf(simulator, { tillNumber, apiKeys: [name], ...more }));
  await change('a', '000001');
  const note = store.accounts.noteStarts.bind(store.accounts);
  store.accounts.noteStarts = () => Promise.reject(new StoreUnavailableError('it is away'));
  const sweptRarely = { reconciliation: { sweepEveryMs: 60_000 } };
  await expect(change('a', '000002', sweptRarely)).rejects.toThrow(StoreUnavailableError);
  store.accounts.noteStarts = note;
  for (const till of ['000001', '000002'])
    await expect(change('b', till)).rejects.toThrow(/both have till/);
  await change('a', '000002', sweptRarely);
});

it('An account whose option removed is no boolean is refused', async () => {
  set('a', '514459', { removed: 'no' });
  await expect(accounts().get('a')).rejects.toThrow(
    /cannot open the account:.*option "removed" of account "a" must be true or false/s,
  );
});
