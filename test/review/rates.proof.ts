import { afterEach, expect, it } from '@jest/globals';
import {
  MemoryStore,
  PaymentsModule,
  TokensService,
  PaymentsAccounts,
  type PaymentsOptions,
} from '@tillkit/payments';
import { BackgroundRequests } from '../../libs/payments/src/http/background-requests.js';
import { PlatformRateLimitedError } from '../../libs/payments/src/payments.errors.js';
import { Merchant } from '../support/merchant.js';
import { EXPRESS } from '../support/platforms.js';
import { json, ScriptedPlatform, token, TOKEN } from '../support/scripted.platform.js';

let platform: ScriptedPlatform;
const merchants: Merchant[] = [];

const open = async (payments: PaymentsOptions): Promise<Merchant> => {
  const merchant = await Merchant.open({
    platform: EXPRESS,
    payments: { ...platform.settings, ...payments },
  });
  merchants.push(merchant);
  return merchant;
};
afterEach(async () => {
  await Promise.all(merchants.splice(0).map((merchant) => merchant.close()));
  await platform.close();
});
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** [label, tokenTimeoutMs, Retry-After in s, for so long] */
it.each([
  ['a short token timeout', 1_000, 6, 8_000],
  ['all defaults', 10_000, 9, 32_000],
])(
  'REVIEW no replica asks for a token while the platform wants none, with %s',
  async (_, tokenTimeoutMs, retryAfterS, forMs) => {
    platform = await ScriptedPlatform.open();
    const asked: number[] = [];
    platform.on(TOKEN, (request, response) => {
      asked.push(Math.round(performance.now()));
      json(429, {}, { 'retry-after': String(retryAfterS) })(request, response);
    });
    const store = new MemoryStore();
    const replicas = [
      await open({ store, http: { tokenTimeoutMs } }),
      await open({ store, http: { tokenTimeoutMs } }),
      await open({ store, http: { tokenTimeoutMs } }),
    ];
    const until = performance.now() + forMs;
    await Promise.all(
      replicas.map(async (replica, index) => {
        await sleep(index * 50);
        while (performance.now() < until) {
          await replica.app
            .get(TokensService)
            .get()
            .catch(() => undefined);
          await sleep(100);
        }
      }),
    );
    const gaps = asked.slice(1).map((at, index) => (at - (asked[index] as number)) / 1_000);
    expect(gaps.filter((gap) => gap < retryAfterS)).toEqual([]);
  },
  150_000,
);

it('REVIEW ten replicas make no background request after the platform has asked one of them to wait', async () => {
  platform = await ScriptedPlatform.open();
  const store = new MemoryStore();
  // The default rate: 5 per second.
  const replicas = await Promise.all(Array.from({ length: 10 }, () => open({ store })));
  let askedAt: number | null = null;
  const made: number[] = [];
  const request = async (): Promise<void> => {
    if (askedAt === null) {
      askedAt = performance.now();
      throw new PlatformRateLimitedError(
        { operation: 'read', status: 429, platformMessages: [] },
        10_000,
      );
    }
    made.push(Math.round(performance.now() - askedAt));
  };
  await Promise.all(
    replicas.map((replica) =>
      replica.app
        .get(BackgroundRequests)
        .run('default', 'overdue', request)
        .catch(() => undefined),
    ),
  );
  expect(made).toEqual([]);
}, 60_000);

it('REVIEW the rotation of the token of one account does not use a token that was requested with its former secret', async () => {
  platform = await ScriptedPlatform.open();
  platform.on(TOKEN, token());
  const merchant = await Merchant.open({
    platform: EXPRESS,
    payments: { ...platform.settings, store: new MemoryStore() },
    imports: [PaymentsModule.forAccounts({ reconciliation: false })],
  });
  merchants.push(merchant);
  const options = {
    baseUrl: platform.url,
    clientId: 'a',
    clientSecret: 'b',
    publicUrl: merchant.url,
    apiKeys: ['k'],
    tillNumber: '000111',
  };
  const accounts = merchant.app.get(PaymentsAccounts);
  const shop = await accounts.add('shop', options);
  await shop.get(TokensService).get();
  await accounts.add('shop', { ...options, clientId: 'c' });
  platform.on(TOKEN, token({ access_token: 'of-c' }));
  expect(await shop.get(TokensService).get()).toBe('of-c');
});
