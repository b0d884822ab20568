import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  MemoryStore,
  PaymentsAccounts,
  PaymentsModule,
  TokensService,
  type AddedAccountOptions,
} from '@tillkit/payments';
import { aRequest, Merchant } from '../support/merchant.js';
import { EXPRESS } from '../support/platforms.js';
import { CREATE, created, ScriptedPlatform, TOKEN } from '../support/scripted.platform.js';

let sandbox: ScriptedPlatform;
let live: ScriptedPlatform;
let tokens: ScriptedPlatform;
let merchant: Merchant;
let store: MemoryStore;

const optionsOf = (platform: ScriptedPlatform): AddedAccountOptions => ({
  baseUrl: platform.url,
  tokenBaseUrl: tokens.url,
  clientId: 'an-id',
  clientSecret: 'a-secret',
  publicUrl: merchant.url,
  apiKeys: ['key'],
  tillNumber: '000123',
});

beforeEach(async () => {
  [sandbox, live, tokens] = await Promise.all([
    ScriptedPlatform.open(),
    ScriptedPlatform.open(),
    ScriptedPlatform.open(),
  ]);
  store = new MemoryStore();
  merchant = await Merchant.open({
    platform: EXPRESS,
    payments: { store, reconciliation: false },
    imports: [PaymentsModule.forAccounts({ reconciliation: false })],
  });
});
afterEach(async () => {
  await merchant.close();
  await Promise.all([sandbox.close(), live.close(), tokens.close()]);
});

it('REVIEW an account whose platform changes while the application runs gets the answer to its payment', async () => {
  const accounts = merchant.app.get(PaymentsAccounts);
  const account = await accounts.add('shop', optionsOf(sandbox));
  await account.get(TokensService).get();
  live.on(CREATE, created('an-id-of-live'));
  await accounts.add('shop', optionsOf(live));
  const request = aRequest();
  const outcome = await account.payments.request(request).catch((error: unknown) => error);
  const stored = await account.payments.findByIdempotencyKey(request.idempotencyKey);
  expect({ sent: live.count(CREATE), outcome: String(outcome), state: stored?.state }).toEqual({
    sent: 1,
    outcome: '[object Object]',
    state: 'pending',
  });
});

it('REVIEW an account that gets a token host while the application runs can get tokens there', async () => {
  const accounts = merchant.app.get(PaymentsAccounts);
  const account = await accounts.add('shop', { ...optionsOf(sandbox), tokenBaseUrl: sandbox.url });
  await account.get(TokensService).get();
  await accounts.add('shop', { ...optionsOf(sandbox), clientId: 'another' });
  expect(await account.get(TokensService).get()).toBe('a-token');
  expect(tokens.count(TOKEN)).toBe(1);
});
