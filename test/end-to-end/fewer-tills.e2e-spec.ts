import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  MemoryStore,
  PaymentsAccounts,
  ReconciliationService,
  type AddedAccountOptions,
} from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { aRequest } from '../support/merchant.js';
import { optionsOf, startShops } from '../support/shops.js';

let simulator: Simulator;
let app: INestApplication;

beforeEach(async () => {
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
  ({ app } = await startShops(new MemoryStore(), null, {
    reconciliation: { sweepEveryMs: 0, requestsPerSecond: 1_000 },
  }));
});
afterEach(async () => {
  await Promise.all([app.close(), simulator.stop()]);
});
const accounts = (): PaymentsAccounts => app.get(PaymentsAccounts);
const listing = (...tills: string[]): AddedAccountOptions =>
  optionsOf(simulator, { tillNumber: tills[0]!, tills });

it.each<[string, () => unknown]>([
  ['was removed', () => accounts().remove('shop')],
  ['lists fewer tills', () => accounts().add('shop', listing('514459'))],
])('A repeat with the same key gets its payment after the account %s', async (_, change) => {
  const { payments } = await accounts().add('shop', listing('514459', '000777'));
  const request = aRequest({ tillNumber: '000777' });
  const { id } = await payments.request(request);
  await change();
  expect((await payments.request(request)).id).toBe(id);
});

it('The report matches the money of a payment whose till the account does not list any more', async () => {
  const now = Date.now();
  const shop = await accounts().add('shop', listing('514459', '000777'));
  const { id } = await shop.payments.request(aRequest());
  await shop.payments.settled(id);
  await accounts().add('shop', listing('000777'));
  const report = await shop
    .get(ReconciliationService)
    .report({ from: new Date(now - 600_000), to: new Date(now + 600_000) });
  expect(report).toMatchObject({ matched: [{}], missingThere: [], missingHere: [] });
});
