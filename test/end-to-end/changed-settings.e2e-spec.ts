import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  MemoryStore,
  PaymentsAccounts,
  PaymentsModule,
  TokensService,
  type AddedAccountOptions,
} from '@tillkit/payments';
import type { PaymentsAccountsOptions } from '@tillkit/payments/types';
import { aRequest, aRequestOfAnother, Merchant } from '../support/merchant.js';
import {
  CREATE,
  created,
  json,
  ScriptedPlatform,
  token,
  TOKEN,
} from '../support/scripted.platform.js';

const V1 = 'POST /api/v1/incoming_payments';
let platform: ScriptedPlatform;
let tokens: ScriptedPlatform;
let merchants: Merchant[];
let store: MemoryStore;

const open = async (shared: PaymentsAccountsOptions = {}): Promise<PaymentsAccounts> => {
  const merchant = await Merchant.open({
    payments: { store, reconciliation: false },
    imports: [
      PaymentsModule.forAccounts({
        reconciliation: { sweepEveryMs: 0 },
        ...shared,
      }),
    ],
  });
  merchants.push(merchant);
  return merchant.app.get(PaymentsAccounts);
};
const aShop = (more: Partial<AddedAccountOptions> = {}): AddedAccountOptions => ({
  baseUrl: platform.url,
  clientId: 'an-id',
  clientSecret: 'a-secret',
  publicUrl: merchants[0]!.url,
  apiKeys: ['key'],
  tillNumber: '000123',
  ...more,
});

beforeEach(async () => {
  [platform, tokens] = await Promise.all([ScriptedPlatform.open(), ScriptedPlatform.open()]);
  store = new MemoryStore();
  merchants = [];
});
afterEach(async () => {
  await Promise.all(merchants.map((merchant) => merchant.close()));
  await Promise.all([platform.close(), tokens.close()]);
});

it('an account whose platform changes gets the answer to its payment', async () => {
  const accounts = await open();
  const shop = await accounts.add('shop', aShop({ tokenBaseUrl: tokens.url }));
  await shop.get(TokensService).get();
  const live = await ScriptedPlatform.open();
  live.on(CREATE, created('an-id-of-live'));
  await accounts.add('shop', aShop({ tokenBaseUrl: tokens.url, baseUrl: live.url }));
  const payment = await shop.payments.request(aRequest());
  expect(payment).toMatchObject({ state: 'pending', platformId: 'an-id-of-live' });
  expect([platform.count(CREATE), live.count(CREATE)]).toEqual([0, 1]);
  await live.close();
});

it('an account that gets a token host while the application runs gets its tokens there', async () => {
  const accounts = await open();
  const shop = await accounts.add('shop', aShop());
  await shop.get(TokensService).get();
  await accounts.add('shop', aShop({ tokenBaseUrl: tokens.url, clientId: 'another' }));
  expect(await shop.get(TokensService).get()).toBe('a-token');
  expect(tokens.count(TOKEN)).toBe(1);
});

it('an account uses the version of the API that it is set to now', async () => {
  const accounts = await open();
  platform.on(CREATE, created('an-id'));
  platform.on(V1, created('another-id', '/api/v1/incoming_payments'));
  const shop = await accounts.add('shop', aShop());
  await shop.payments.request(aRequestOfAnother());
  await accounts.add('shop', aShop({ apiVersions: { incomingPayments: 'v1' } }));
  await shop.payments.request(aRequestOfAnother());
  expect([platform.count(CREATE), platform.count(V1)]).toEqual([1, 1]);
});

it('two accounts whose names differ in case only are two accounts', async () => {
  const accounts = await open();
  await accounts.add('shop-1', aShop());
  const other = await accounts.add('Shop-1', aShop({ tillNumber: '000124', apiKeys: ['another'] }));
  expect(other.name).toBe('Shop-1');
});

it('the clock of a token host is not the clock of the platform', async () => {
  const accounts = await open();
  const late = { date: new Date(Date.now() + 3_600_000).toUTCString() };
  tokens.on(TOKEN, json(200, { access_token: 'x', token_type: 'bearer', expires_in: 3_600 }, late));
  tokens.on('GET /oauth/token/info', json(200, {}, late));
  platform.on(CREATE, created('an-id'));
  const shop = await accounts.add('shop', aShop({ tokenBaseUrl: tokens.url }));
  const { id } = await shop.payments.request(aRequest());
  const { sentAt } = (await store.operations.find('shop', id)) as { sentAt: Date };
  expect(Math.abs(sentAt.getTime() - Date.now())).toBeLessThan(60_000);
});

it('the Retry-After of a token host does not hold for the host that replaces it', async () => {
  const accounts = await open();
  tokens.on(TOKEN, json(429, {}, { 'retry-after': '600' }));
  const shop = await accounts.add('shop', aShop({ tokenBaseUrl: tokens.url }));
  await shop
    .get(TokensService)
    .get()
    .catch(() => undefined);
  platform.on(TOKEN, token({ access_token: 'of-the-platform' }));
  await accounts.add('shop', aShop());
  expect(await shop.get(TokensService).get()).toBe('of-the-platform');
});

it('an account with a platform of its own gets its token there, not from the token host that others share', async () => {
  const accounts = await open({ tokenBaseUrl: tokens.url });
  const shop = await accounts.add('shop', aShop({ baseUrl: platform.url }));
  await shop.get(TokensService).get();
  expect([platform.count(TOKEN), tokens.count(TOKEN)]).toEqual([1, 0]);
});

it('the Retry-After for one application does not hold for the application that replaces it', async () => {
  const accounts = await open();
  platform.on(TOKEN, json(429, {}, { 'retry-after': '600' }));
  const shop = await accounts.add('shop', aShop());
  await shop
    .get(TokensService)
    .get()
    .catch(() => undefined);
  platform.on(TOKEN, token({ access_token: 'of-the-new-application' }));
  await accounts.add('shop', aShop({ clientId: 'another-application' }));
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  const got = await shop
    .get(TokensService)
    .get()
    .catch((error: unknown) => String(error));
  expect(got).toBe('of-the-new-application');
});
