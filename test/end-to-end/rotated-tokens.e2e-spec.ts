import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MemoryStore, PaymentsAccounts, TokensService } from '@tillkit/payments';
import { startShops } from '../support/shops.js';
import { json, ScriptedPlatform, TOKEN, token } from '../support/scripted.platform.js';
import { until } from '../support/until.js';

let old: ScriptedPlatform;
let live: ScriptedPlatform;
let app: INestApplication;

beforeEach(async () => {
  [old, live] = await Promise.all([ScriptedPlatform.open(), ScriptedPlatform.open()]);
  old.on(TOKEN, token({ access_token: 'token-of-old' }));
  live.on(TOKEN, token({ access_token: 'token-of-live' }));
  ({ app } = await startShops(new MemoryStore(), null, { reconciliation: false }));
});
afterEach(async () => {
  await app.close();
  await Promise.all([old.close(), live.close()]);
});
const accounts = (): PaymentsAccounts => app.get(PaymentsAccounts);
const options = (platform: ScriptedPlatform, id: string) => ({
  baseUrl: platform.url,
  clientId: id,
  clientSecret: `${id}-secret`,
  apiKeys: ['k'],
  tillNumber: '000001',
});

it.each<[string, (tokens: TokensService) => Promise<unknown>]>([
  ['/oauth/introspect', (tokens) => tokens.introspect()],
  ['/oauth/revoke', (tokens) => tokens.revoke()],
])('A request to %s does not take the former access token to a new host', async (path, ask) => {
  for (const platform of [old, live])
    platform.on(`POST ${path}`, json(503, {}, { 'retry-after': '1' }), json(200, { active: true }));
  const shop = await accounts().add('shop', options(old, 'old'));
  await shop.get(TokensService).get();
  const asking = ask(shop.get(TokensService)).catch((e: unknown) => e);
  await until(() => old.count(`POST ${path}`) > 0);
  await accounts().add('shop', options(live, 'live'));
  await asking;
  expect(live.texts().filter((body) => body.includes('token-of-old'))).toEqual([]);
});
