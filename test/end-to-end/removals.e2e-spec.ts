import { Injectable, type INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  MemoryStore,
  OnPaymentEvent,
  PaymentsAccounts,
} from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { deliverSigned, webhookBody, type Answer } from '../support/deliver.js';
import { aRequest, aRequestFrom } from '../support/merchant.js';
import { optionsOf, Shops, startShops } from '../support/shops.js';
import { until } from '../support/until.js';

let store: MemoryStore;
let simulator: Simulator;
let app: INestApplication;
let origin: string;
let shops: Shops;
let sendBeforeMs = 2_000;
let keepRemovedMs: number | undefined = 0;

@Injectable()
class Listener {
  calls: string[] = [];

  @OnPaymentEvent('till.transaction.received')
  till(event: { eventId: string }): void {
    this.calls.push(`till ${event.eventId}`);
  }

  @OnPaymentEvent('payment.succeeded')
  succeeded(event: { payment: { id: string } }): void {
    this.calls.push(`succeeded ${event.payment.id}`);
  }

  @OnPaymentEvent('incoming-payment.completed')
  completed(): void {
    this.calls.push('completed');
  }
}

beforeEach(async () => {
  store = new MemoryStore();
  shops = new Shops();
  sendBeforeMs = 2_000;
  keepRemovedMs = 0;
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
});
afterEach(async () => {
  await Promise.all([app.close(), simulator.stop()]);
});

const start = async (source = true): Promise<void> => {
  ({ app, origin } = await startShops(
    store,
    source ? shops : null,
    {
      sending: { sendBeforeMs },
      keepRemovedMs,
      reconciliation: { intervalMs: 20, sweepEveryMs: 0 },
      listeners: { retryScheduleMs: [300, 300, 300] },
    },
    { providers: [Listener] },
  ));
};

const accounts = (): PaymentsAccounts => app.get(PaymentsAccounts);
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const post = (account: string, key: string, body = webhookBody()): Promise<Answer> =>
  deliverSigned(`${origin}/payments/accounts/${account}/webhooks`, body, key);

it('Accounts that the source does not have any more are closed soon, while outsiders post to most of them', async () => {
  sendBeforeMs = 1_000;
  await start();
  const names = Array.from({ length: 7 }, (_, index) => `gone-${index}`);
  for (const [index, name] of names.entries()) {
    const own = { tillNumber: `00010${index}`, apiKeys: [`key-${index}`] };
    shops.options.set(name, optionsOf(simulator, own));
    await accounts().get(name);
  }
  shops.options.clear();
  for (const name of names) await accounts().refresh(name);
  let isOver = false;
  const outsiders = names.slice(1).map(async (name, index) => {
    await sleep(index * 170);
    while (!isOver) {
      await post(name, 'a key of an outsider');
      await sleep(30);
    }
  });
  await until(() => accounts().names().length === 0);
  isOver = true;
  await Promise.all(outsiders);
});

it('An account that comes back while it is being closed gets its events', async () => {
  await start(false);
  await accounts().add('shop', optionsOf(simulator));
  accounts().remove('shop');
  let claimed: (() => void) | undefined;
  const note = store.accounts.noteStarts.bind(store.accounts);
  store.accounts.noteStarts = async (...args) => {
    await note(...args);
    await new Promise<void>((resolve) => (claimed = resolve));
  };
  // The account gets other settings, so that its work is planned again.
  const adding = accounts().add(
    'shop',
    optionsOf(simulator, { reconciliation: { sweepEveryMs: 60_000 } }),
  );
  await until(() => claimed !== undefined);
  // The store is slow for a moment: the account is closed meanwhile.
  await Promise.race([until(() => accounts().names().length === 0), sleep(6_000)]);
  store.accounts.noteStarts = note;
  claimed?.();
  const { payments } = await adding;
  const { id } = await payments.request(aRequest());
  await until(async () => (await payments.find(id))?.state === 'succeeded');
  await until(() => app.get(Listener).calls.includes(`succeeded ${id}`));
});

it('The result of a bare request that was sent before the removal leads to a listener call', async () => {
  keepRemovedMs = undefined;
  await start(false);
  const shop = await accounts().add('shop', optionsOf(simulator));
  const { subscriber, amount } = aRequestFrom('+254700000014');
  await shop.get(IncomingPaymentsService).create({ subscriber, amount });
  accounts().remove('shop');
  // The customer takes longer than `sendBeforeMs`.
  await sleep(4_000);
  simulator.handset('+254700000014').approve();
  await until(() => app.get(Listener).calls.includes('completed'));
});

it('Of two changes of an account the later one takes effect', async () => {
  await start(false);
  const shop = await accounts().add('shop', optionsOf(simulator));
  const claim = store.accounts.claim.bind(store.accounts);
  let isFirst = true;
  store.accounts.claim = async (...args) => {
    const isSlow = isFirst;
    isFirst = false;
    const conflicts = await claim(...args);
    if (isSlow) await sleep(300);
    return conflicts;
  };
  const first = accounts().add('shop', optionsOf(simulator, { tillNumber: '000111' }));
  await sleep(50);
  const second = accounts().add('shop', optionsOf(simulator, { tillNumber: '000222' }));
  await Promise.all([first, second]);
  expect((await shop.payments.request(aRequest())).tillNumber).toBe('000222');
});

it('An account that is removed while its new options are being read stays removed', async () => {
  await start(true);
  shops.options.set('shop', optionsOf(simulator));
  const shop = await accounts().get('shop');
  const claim = store.accounts.claim.bind(store.accounts);
  let isClaiming = false;
  store.accounts.claim = async (...args) => {
    const conflicts = await claim(...args);
    isClaiming = true;
    await sleep(200);
    return conflicts;
  };
  shops.options.set('shop', optionsOf(simulator, { apiKeys: [simulator.apiKey, 'a new key'] }));
  const refreshing = accounts().refresh('shop');
  await until(() => isClaiming);
  accounts().remove('shop');
  await refreshing;
  await expect(shop.payments.request(aRequest())).rejects.toThrow(/removed/);
});

it('Outsiders make the source load an account that it does not have any more at most once a second', async () => {
  sendBeforeMs = 60_000;
  await start(true);
  shops.options.set('shop', optionsOf(simulator));
  await accounts().get('shop');
  shops.options.clear();
  await accounts().refresh('shop');
  await sleep(1_100);
  shops.loads.length = 0;
  const beganAt = performance.now();
  while (performance.now() < beganAt + 2_000) await post('shop', 'a key of an outsider');
  const seconds = Math.ceil((performance.now() - beganAt) / 1_000);
  expect(shops.loads.length).toBeLessThanOrEqual(1 + seconds);
});
