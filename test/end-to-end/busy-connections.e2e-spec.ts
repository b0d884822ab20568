import type { ServerResponse } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  MemoryStore,
  PaymentsAccounts,
  StoreUnavailableError,
  type AddedAccountOptions,
  type PaymentsAccount,
} from '@tillkit/payments';
import { aRequest, aRequestFrom } from '../support/merchant.js';
import { CREATE, created, json, ScriptedPlatform, TOKEN } from '../support/scripted.platform.js';
import { startShops } from '../support/shops.js';
import { until } from '../support/until.js';

/** Reads of the payment `hang` get no answer until `release`. */
let platform: ScriptedPlatform;
let hanging: ServerResponse[];
let store: MemoryStore;
let app: INestApplication;

beforeEach(async () => {
  hanging = [];
  platform = await ScriptedPlatform.open();
  platform.on(CREATE, created('id-1'), created('id-2'));
  platform.on('GET /api/v2/incoming_payments/hang', (_, response) => {
    hanging.push(response);
  });
  store = new MemoryStore();
  ({ app } = await startShops(store, null, {
    reconciliation: false,
    http: { maxSockets: 1, createTimeoutMs: 20_000, readTimeoutMs: 20_000 },
  }));
});
afterEach(async () => {
  for (const response of hanging) response.end();
  await app.close();
  await platform.close();
});

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const posts = (): string[] =>
  platform.asked.filter((route) => route.startsWith('POST ') && route !== TOKEN);
const accounts = (): PaymentsAccounts => app.get(PaymentsAccounts);
const add = (
  name: string,
  tillNumber: string,
  more: Partial<AddedAccountOptions> = {},
): Promise<PaymentsAccount> =>
  accounts().add(name, {
    baseUrl: platform.url,
    clientId: name,
    clientSecret: 's',
    apiKeys: [`k-${name}`],
    tillNumber,
    ...more,
  });
/** The shop sends its first payment. Then a read occupies its only connection. */
const warm = async (more: Partial<AddedAccountOptions> = {}): Promise<PaymentsAccount> => {
  const shop = await add('shop', '000001', more);
  await shop.payments.request(aRequest());
  expect(posts()).toEqual([CREATE]);
  shop
    .get(IncomingPaymentsService)
    .get('hang')
    .catch(() => undefined);
  await until(() => hanging.length > 0);
  return shop;
};
const release = (): void => {
  for (const response of hanging.splice(0)) json(404, {})(response.req, response);
};
const bareCreate = (shop: PaymentsAccount): Promise<unknown> => {
  const { subscriber, amount } = aRequestFrom('+254700000002');
  return shop.get(IncomingPaymentsService).create({ subscriber, amount });
};
/** Lets something happen while a request waits for the connection. */
const whileItWaits = async (sent: Promise<unknown>, happens: () => unknown): Promise<void> => {
  const ended = sent.catch(() => undefined);
  await sleep(300);
  expect(posts()).toEqual([CREATE]);
  await happens();
  await sleep(300);
  release();
  await ended;
};
const JANE = { by: 'jane', note: 'the till is wrong' };

it('A bare create that waits for a connection is not sent after a pause', async () => {
  const shop = await warm();
  await whileItWaits(bareCreate(shop), () => accounts().pause({ account: 'shop', ...JANE }));
  expect(posts()).toEqual([CREATE]);
});

it('A payment that waits for a connection is not sent after a pause', async () => {
  const shop = await warm({ sending: { sendBeforeMs: 3_000 } });
  const sent = shop.payments.request(aRequestFrom('+254700000003'));
  await whileItWaits(sent, () => accounts().pause({ account: 'shop', ...JANE }));
  await sent;
  expect(posts()).toEqual([CREATE]);
});

it('A bare create that waits for a connection is not sent after the removal of its account', async () => {
  const shop = await warm();
  await whileItWaits(bareCreate(shop), () => accounts().remove('shop'));
  expect(posts()).toEqual([CREATE]);
});

it('A payment that waits for a connection is not sent after its time to be sent', async () => {
  const shop = await warm({ sending: { sendBeforeMs: 4_000 } });
  const sent = shop.payments.request(aRequestFrom('+254700000003'));
  await sleep(4_500);
  release();
  await sent;
  expect(posts()).toEqual([CREATE]);
});

it.each([
  ['when the store answers at once', false],
  ['when the store answers only the second time', true],
])('A payment that waited for a connection is sent %s', async (_, fails) => {
  const shop = await warm();
  const sending = shop.payments.request(aRequestFrom('+254700000003'));
  // Longer than it may be written unasked.
  await sleep(1_200);
  const of = store.pauses.current.bind(store.pauses);
  let failures = 0;
  if (fails)
    store.pauses.current = (account) => {
      failures += 1;
      if (failures > 1) return of(account);
      return Promise.reject(new StoreUnavailableError('a connection was lost'));
    };
  release();
  expect(await sending).toMatchObject({ state: 'pending' });
  expect(posts()).toEqual([CREATE, CREATE]);
  expect(failures > 1).toBe(fails);
});
