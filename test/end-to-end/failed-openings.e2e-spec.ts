import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MemoryStore, PaymentsAccounts, StoreUnavailableError } from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { aRequest } from '../support/merchant.js';
import { optionsOf, Shops, startShops } from '../support/shops.js';

let simulator: Simulator;
let store: MemoryStore;
let one: INestApplication;
let other: INestApplication;
let shops: Shops;

beforeEach(async () => {
  store = new MemoryStore();
  shops = new Shops();
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
  one = (await startShops(store, shops, { reconciliation: false })).app;
  other = (await startShops(store, shops, { reconciliation: false })).app;
});
afterEach(async () => {
  await Promise.all([one.close(), other.close()]);
  await simulator.stop();
});
const accounts = (app: INestApplication): PaymentsAccounts => app.get(PaymentsAccounts);
const set = (name: string, tillNumber: string): unknown =>
  shops.options.set(name, optionsOf(simulator, { tillNumber, apiKeys: [`key-of-${name}`] }));

it('A till that one replica uses stays reserved when its account cannot be opened in another one', async () => {
  set('a', '000001');
  const { payments } = await accounts(one).get('a');
  const note = store.accounts.noteStarts.bind(store.accounts);
  store.accounts.noteStarts = () => Promise.reject(new StoreUnavailableError('it is away'));
  await expect(accounts(other).get('a')).rejects.toThrow(/away/);
  store.accounts.noteStarts = note;
  // Replica one still requests money at the till.
  expect((await payments.request(aRequest())).tillNumber).toBe('000001');
  set('b', '000001');
  await expect(accounts(one).get('b')).rejects.toThrow(/both have till/);
});

it('An account that was removed stays removed when adding it again fails', async () => {
  set('a', '000001');
  set('b', '000002');
  await accounts(one).get('a');
  const { payments } = await accounts(one).get('b');
  accounts(one).remove('b');
  const till = { tillNumber: '000001', apiKeys: ['key-of-b'] };
  await expect(accounts(one).add('b', optionsOf(simulator, till))).rejects.toThrow(
    /both have till/,
  );
  // The source does not know yet that it was removed, and gives it a new key.
  shops.options.set('b', optionsOf(simulator, { tillNumber: '000002', apiKeys: ['new key'] }));
  await accounts(one).refresh('b');
  await expect(payments.request(aRequest())).rejects.toMatchObject({
    code: 'PAYMENTS_ACCOUNT_REMOVED',
  });
});
