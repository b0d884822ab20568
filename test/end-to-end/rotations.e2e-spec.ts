import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  MemoryStore,
  PaymentsAccounts,
  TokensService,
  type AddedAccountOptions,
  type PaymentsAccount,
} from '@tillkit/payments';
import { aRequest, aRequestFrom } from '../support/merchant.js';
import { startShops } from '../support/shops.js';
import {
  CREATE,
  created,
  json,
  ScriptedPlatform,
  TOKEN,
  token,
  type Handler,
} from '../support/scripted.platform.js';
import { until } from '../support/until.js';

let old: ScriptedPlatform;
let live: ScriptedPlatform;
let app: INestApplication;
/** Everything that each host was sent. */
let seen: { host: string; what: string }[];

const noting =
  (host: string, handler: Handler): Handler =>
  (request, response) => {
    seen.push({
      host,
      what: `${request.method} ${request.url} ${request.headers.authorization ?? ''}`,
    });
    handler(request, response);
  };
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

beforeEach(async () => {
  seen = [];
  [old, live] = await Promise.all([ScriptedPlatform.open(), ScriptedPlatform.open()]);
  live.on(TOKEN, token({ access_token: 'token-of-live' }));
  live.on(CREATE, noting('live', created('id-of-live')));
  ({ app } = await startShops(new MemoryStore(), null, {
    reconciliation: false,
    sending: { sendBeforeMs: 20_000 },
  }));
});
afterEach(async () => {
  await app.close();
  await Promise.all([old.close(), live.close()]);
});
const accounts = (): PaymentsAccounts => app.get(PaymentsAccounts);
const before = (): AddedAccountOptions => ({
  baseUrl: old.url,
  clientId: 'old-id',
  clientSecret: 'old-secret',
  apiKeys: ['k'],
  tillNumber: '000001',
});
const after = (): AddedAccountOptions => ({
  baseUrl: live.url,
  clientId: 'new-id',
  clientSecret: 'new-secret',
  apiKeys: ['k'],
  tillNumber: '000001',
});

const bareCreate = (shop: PaymentsAccount): Promise<unknown> => {
  const { subscriber, amount } = aRequestFrom('+254700000002');
  return shop.get(IncomingPaymentsService).create({ subscriber, amount });
};
/** The account is rotated while it asks the platform for a token. The first answer comes when the test says so. */
const rotatedWhileAsking = async (
  platform: ScriptedPlatform,
  [first, ...others]: Handler[],
  from: AddedAccountOptions,
  to: AddedAccountOptions,
): Promise<{ shop: PaymentsAccount; answer: () => Promise<void> }> => {
  let give: (() => void) | undefined;
  const late: Handler = (request, response) => {
    give = () => first?.(request, response);
  };
  platform.on(TOKEN, late, ...others);
  const shop = await accounts().add('shop', from);
  const early = shop
    .get(TokensService)
    .get()
    .catch((e: unknown) => e);
  await until(() => give !== undefined);
  await accounts().add('shop', to);
  const answer = async (): Promise<void> => {
    await sleep(300);
    give?.();
    await early;
  };
  return { shop, answer };
};

it('The former client secret is not sent to a new host', async () => {
  let asked = 0;
  const failing: Handler = (request, response) => {
    asked += 1;
    json(503, {}, { 'retry-after': '1' })(request, response);
  };
  old.on(TOKEN, failing);
  const shop = await accounts().add('shop', before());
  const got = shop
    .get(TokensService)
    .get()
    .catch((e: unknown) => e);
  await until(() => asked > 0);
  await accounts().add('shop', after());
  await got;
  await sleep(2_000);
  expect(live.texts(TOKEN).filter((body) => body.includes('old-secret'))).toEqual([]);
});

it('The former access token is not sent to a new host by a create that waited', async () => {
  old.on(TOKEN, token({ access_token: 'token-of-old' }));
  old.on(CREATE, json(429, {}, { 'retry-after': '2' }));
  const shop = await accounts().add('shop', before());
  const { subscriber, amount } = aRequestFrom('+254700000002');
  const bare = shop.get(IncomingPaymentsService);
  const first = bare.create({ subscriber, amount }).catch((e: unknown) => e);
  await until(() => old.count(CREATE) > 0);
  await sleep(100);
  // The second create waits, because the platform has asked to.
  const second = bare.create({ subscriber, amount }).catch((e: unknown) => e);
  await sleep(300);
  await accounts().add('shop', after());
  await Promise.all([first, second]);
  expect(seen.filter(({ what }) => what.includes('token-of-old'))).toEqual([]);
});

it('A payment that is requested after a rotation is sent although the former secret is refused', async () => {
  const refusal = json(401, { error: 'invalid_client' });
  const { shop, answer } = await rotatedWhileAsking(old, [refusal], before(), after());
  const requesting = shop.payments.request(aRequest());
  await answer();
  expect(await requesting).toMatchObject({ state: 'pending' });
});

it('A create that is made after a rotation does not carry the former token', async () => {
  const former = token({ access_token: 'token-of-old' });
  const { shop, answer } = await rotatedWhileAsking(old, [former], before(), after());
  const creating = bareCreate(shop).catch((e: unknown) => e);
  await answer();
  await creating;
  expect(seen.filter(({ what }) => what.includes('token-of-old'))).toEqual([]);
});

it('A create after a rotation on the same platform is made with the token of the new application', async () => {
  const platform = await ScriptedPlatform.open();
  try {
    const tokens: string[] = [];
    platform.on(CREATE, (q, s) => {
      tokens.push(String(q.headers.authorization));
      created('id')(q, s);
    });
    const options = (id: string): AddedAccountOptions => ({
      baseUrl: platform.url,
      clientId: id,
      clientSecret: id,
      apiKeys: ['k'],
      tillNumber: '000001',
    });
    const answers = ['token-of-old', 'token-of-new'].map((name) => token({ access_token: name }));
    const { shop, answer } = await rotatedWhileAsking(
      platform,
      answers,
      options('old'),
      options('new'),
    );
    const creating = bareCreate(shop);
    await answer();
    await creating;
    expect(tokens).toEqual(['Bearer token-of-new']);
  } finally {
    await platform.close();
  }
});
