import { Injectable, type INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  MemoryStore,
  PaymentsAccounts,
  PaymentsAccountsSource,
  PaymentsModule,
  PaymentsStore,
  type LoadedAccountOptions,
} from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { AccountClaimsService } from '../../libs/payments/src/accounts/account-claims.service.js';
import { listeningAt, moduleOf } from '../support/application.js';
import { deliverSigned, webhookBody, type Answer } from '../support/deliver.js';
import { EXPRESS, freePort } from '../support/platforms.js';
import { optionsOf } from '../support/shops.js';

let store: MemoryStore;
let simulator: Simulator;
const apps: INestApplication[] = [];
const options = new Map<string, LoadedAccountOptions>();
let port = 0;
const loads: string[] = [];

@Injectable()
class Shops extends PaymentsAccountsSource {
  async load(account: string): Promise<LoadedAccountOptions | null> {
    loads.push(account);
    return options.get(account) ?? null;
  }
}
beforeEach(async () => {
  store = new MemoryStore();
  options.clear();
  loads.length = 0;
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
});
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
  await simulator.stop();
});
const start = async (refreshMs?: number): Promise<INestApplication> => {
  port = await freePort();
  const app = await listeningAt(port, EXPRESS, {
    imports: [
      moduleOf(PaymentsStore, store, true),
      PaymentsModule.forAccounts({
        source: Shops,
        publicUrl: `http://127.0.0.1:${port}`,
        refreshMs,
      }),
    ],
  });
  apps.push(app);
  return app;
};
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const post = (account: string, key: string, body = webhookBody()): Promise<Answer> =>
  deliverSigned(`http://127.0.0.1:${port}/payments/accounts/${account}/webhooks`, body, key);

it('REVIEW a delivery of an account in use is not answered 404 while strangers post to many unknown names', async () => {
  await start();
  // A name that was unknown a moment ago.
  expect((await post('shop', simulator.apiKey)).status).toBe(404);
  options.set('shop', optionsOf(simulator));
  // Another process opens it.
  await store.accounts.noteStarts(['shop']);
  // Strangers post to names; the first of them asks the store, which takes a moment.
  const list = store.accounts.list.bind(store.accounts);
  store.accounts.list = async (...args) => {
    await sleep(1_000);
    return list(...args);
  };
  const strangers = Array.from({ length: 350 }, (_, index) =>
    post(`nobody-${index}`, 'any').catch(() => null),
  );
  await sleep(600);
  const { status } = await post('shop', simulator.apiKey);
  await Promise.all(strangers);
  expect(status).not.toBe(404);
  expect([200, 503]).toContain(status);
}, 60_000);

it('REVIEW a till that has moved to another account is free although an idle process still knows its former account', async () => {
  options.set('old', optionsOf(simulator));
  const idle = await start(50);
  await idle.get(PaymentsAccounts).get('old');
  const busy = await start(50);
  await busy.get(PaymentsAccounts).get('old');
  // The till moves. The claims of an account end 20 minutes after its last use: here after a second.
  const claim = store.accounts.claim.bind(store.accounts);
  store.accounts.claim = (claims, _, areNew) => claim(claims, 1_000, areNew);
  options.set('old', optionsOf(simulator, { tillNumber: '000111' }));
  options.set('new', optionsOf(simulator, { apiKeys: ['another key'] }));
  await busy.get(PaymentsAccounts).refresh('old');
  // The idle process renews its claims again and again.
  const until = performance.now() + 6_000;
  let isLoaded = false;
  while (!isLoaded && performance.now() < until) {
    await idle
      .get(AccountClaimsService)
      .onModuleInit()
      .catch(() => undefined);
    await sleep(200);
    isLoaded = await busy
      .get(PaymentsAccounts)
      .get('new')
      .then(
        () => true,
        () => false,
      );
  }
  expect(isLoaded).toBe(true);
}, 60_000);
