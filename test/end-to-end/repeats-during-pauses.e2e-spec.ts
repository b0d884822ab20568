import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  MemoryStore,
  PaymentsAccounts,
  StoreUnavailableError,
  TokensService,
  type PaymentsAccount,
  type RequestPayment,
} from '@tillkit/payments';
import { altered } from '../support/altered.store.js';
import { aRequest, aRequestFrom } from '../support/merchant.js';
import { startShops } from '../support/shops.js';
import { CREATE, created, ScriptedPlatform, TOKEN, token } from '../support/scripted.platform.js';
import { until } from '../support/until.js';

let platform: ScriptedPlatform;
let app: INestApplication;
/** Runs after a recording, before its caller gets the answer. */
let afterRecording: (() => Promise<void>) | null;

beforeEach(async () => {
  afterRecording = null;
  platform = await ScriptedPlatform.open();
  platform.on(CREATE, created('an-id'));
  const store = altered(new MemoryStore(), {
    operations: {
      record:
        (original) =>
        async (...args) => {
          const result = await original(...args);
          await afterRecording?.();
          return result;
        },
    },
  });
  ({ app } = await startShops(store, null, {
    reconciliation: false,
    sending: { sendBeforeMs: 15_000 },
  }));
});
afterEach(async () => {
  await app.close();
  await platform.close();
});
const accounts = (): PaymentsAccounts => app.get(PaymentsAccounts);
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const add = (sending = {}): Promise<PaymentsAccount> =>
  accounts().add('shop', {
    baseUrl: platform.url,
    clientId: 'i',
    clientSecret: 's',
    apiKeys: ['k'],
    tillNumber: '000001',
    sending,
  });
const JANE = { account: 'shop', by: 'jane', note: 'the key is stolen' };

/**
 * Returns a payment whose recording succeeded, and whose answer was lost: request() has ended with an error. There was no token yet, else a read
 * would have found it, and it would have been sent.
 */
const lostAnswer = async (): Promise<{
  shop: PaymentsAccount;
  request: RequestPayment;
}> => {
  const shop = await add({ sendBeforeMs: 3_000 });
  const request = aRequest();
  afterRecording = () => {
    afterRecording = null;
    return Promise.reject(new StoreUnavailableError('the answer was lost'));
  };
  await expect(shop.payments.request(request)).rejects.toThrow(/same key|not known|unknown/i);
  expect(platform.count(CREATE)).toBe(0);
  return { shop, request };
};

it('A payment under another key is refused during a pause after the answer of a recording was lost', async () => {
  const { shop } = await lostAnswer();
  await accounts().pause(JANE);
  await expect(shop.payments.request(aRequestFrom('+254700000003'))).rejects.toThrow(/paused/);
  expect(platform.count(CREATE)).toBe(0);
});

it('A repeat of a payment whose recording had no answer sends nothing during a pause', async () => {
  const { shop, request } = await lostAnswer();
  await accounts().pause(JANE);
  await shop.payments.request(request).catch(() => undefined);
  expect(platform.count(CREATE)).toBe(0);
});

it('A repeat of a payment whose recording had no answer sends nothing after the removal of its account', async () => {
  const { shop, request } = await lostAnswer();
  accounts().remove('shop');
  await shop.payments.request(request).catch(() => undefined);
  expect(platform.count(CREATE)).toBe(0);
});

it('A payment whose recording is answered after a pause was stored is not sent', async () => {
  const shop = await add({ sendBeforeMs: 3_000 });
  await shop.payments.request(aRequestFrom('+254700000009'));
  const sentBefore = platform.count(CREATE);
  afterRecording = async () => {
    afterRecording = null;
    await accounts().pause(JANE);
  };
  expect(await shop.payments.request(aRequest())).toMatchObject({ reason: 'not_sent' });
  expect(platform.count(CREATE)).toBe(sentBefore);
});

it('A payment that waits for a token after it was recorded is not sent after a pause was stored', async () => {
  // The payment is not sent after the pause, and fails when this time is over.
  const shop = await add({ sendBeforeMs: 3_000 });
  await shop.payments.request(aRequestFrom('+254700000009'));
  const sentBefore = platform.count(CREATE);
  let answer: (() => void) | undefined;
  platform.on(TOKEN, (q, s) => {
    answer = () => token({ access_token: 'new' })(q, s);
  });
  platform.on('POST /oauth/revoke', (_, response) => void response.writeHead(200).end('{}'));
  // The host rotates its token while the store records.
  afterRecording = async () => {
    afterRecording = null;
    await shop.get(TokensService).revoke();
  };
  const requesting = shop.payments.request(aRequest());
  await until(() => answer !== undefined);
  await accounts().pause(JANE);
  await sleep(300);
  expect(platform.count(CREATE)).toBe(sentBefore);
  answer?.();
  await requesting;
  expect(platform.count(CREATE)).toBe(sentBefore);
});
