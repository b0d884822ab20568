import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  MemoryStore,
  PaymentsStore,
  PollingService,
  SweepsService,
  TokensService,
  WebhookSubscriptionsService,
  type PaymentsOptions,
} from '@tillkit/payments';
import { aRequest, aRequestOfAnother, Merchant } from '../support/merchant.js';
import {
  CREATE,
  created,
  json,
  ScriptedPlatform,
  token,
  TOKEN,
  type Handler,
} from '../support/scripted.platform.js';
import { until } from '../support/until.js';

const POLL = 'POST /api/v2/polling';
const IDS = ['one', 'two', 'three', 'four'];
const QUICK = { intervalMs: 20, scheduleMs: [300], sweepEveryMs: 0, requestsPerSecond: 5 };

let platform: ScriptedPlatform;
let replicas: Merchant[];

const open = async (
  count: number,
  changes: PaymentsOptions = {},
  store: PaymentsStore = new MemoryStore(),
): Promise<void> => {
  const payments = { ...platform.settings, store, sending: { sendBeforeMs: 60_000 }, ...changes };
  for (let replica = 0; replica < count; replica += 1)
    replicas.push(await Merchant.open({ payments }));
};
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();
const readsOf = (id: string): string => `GET /api/v2/incoming_payments/${id}`;
const reads = (): number => IDS.map(readsOf).reduce((sum, route) => sum + platform.count(route), 0);
const payAll = async (): Promise<void> => {
  platform.on(CREATE, ...IDS.map((id) => created(id)));
  for (const [index] of IDS.entries())
    await replicas[index % replicas.length]!.payments.request(aRequestOfAnother());
};
const askingToWait =
  (status: number, seconds: number): Handler =>
  (request, response) =>
    json(status, {}, { 'retry-after': String(seconds) })(request, response);

beforeEach(async () => {
  replicas = [];
  platform = await ScriptedPlatform.open();
});
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await platform.close();
});

it('Nothing is read while a read waits to be repeated, because the platform has asked it to', async () => {
  await open(1, { reconciliation: QUICK });
  for (const id of IDS) platform.on(readsOf(id), askingToWait(429, 30));
  await payAll();
  await until(() => reads() > 0);
  await sleep(1_500);
  expect(reads()).toBe(1);
});

it('Nothing is read while the platform has asked a sweep to wait', async () => {
  await open(1, { reconciliation: { ...QUICK, scheduleMs: [1_000] } });
  for (const id of IDS) platform.on(readsOf(id), json(200, {}));
  platform.on(POLL, askingToWait(429, 30));
  const sweep = replicas[0]!.app.get(SweepsService).sweep();
  sweep.catch(() => undefined);
  await until(() => platform.count(POLL) === 1);
  await payAll();
  await sleep(2_500);
  expect([platform.count(POLL), reads()]).toEqual([1, 0]);
});

it('A read is not repeated while the platform has asked another one to wait longer', async () => {
  await open(1, { reconciliation: { ...QUICK, requestsPerSecond: 1_000 } });
  const [one, other] = ['one', 'two'].map(readsOf) as [string, string];
  let answerOther = (): void => undefined;
  platform.on(one, (request, response) => {
    // Both reads are under way before one is answered.
    void until(() => platform.count(other) === 1)
      .then(() => askingToWait(429, 3)(request, response))
      .then(() => answerOther());
  });
  platform.on(other, (request, response) => {
    answerOther = () => askingToWait(429, 20)(request, response);
  });
  platform.on(CREATE, created('one'), created('two'));
  const [{ payments }] = replicas as [Merchant];
  for (let n = 0; n < 2; n += 1) await payments.request(aRequestOfAnother());
  await until(() => platform.count(other) === 1);
  await sleep(4_000);
  expect(reads()).toBe(2);
});

it.each<[string, string, (app: INestApplication) => Promise<unknown>]>([
  [
    'polling request',
    POLL,
    (app) => app.get(PollingService).create({ fromTime: ago(60_000), toTime: ago(0) }),
  ],
  [
    'subscription',
    'POST /api/v1/webhook_subscriptions',
    (app) =>
      app
        .get(WebhookSubscriptionsService)
        .create({ eventType: 'customer_created', scope: 'company' }),
  ],
  ['read', 'GET /api/v2/polling/one', (app) => app.get(PollingService).get('one')],
])(
  'The host makes no %s while the platform has asked another one to wait',
  async (_, route, ask) => {
    await open(1);
    platform.on(route, askingToWait(429, 90));
    for (let n = 0; n < 2; n += 1)
      await expect(ask(replicas[0]!.app)).rejects.toMatchObject({ code: 'PAYMENTS_RATE_LIMITED' });
    expect(platform.count(route)).toBe(1);
  },
);

it('A create waits while the platform has asked another one to wait with a 503', async () => {
  await open(1);
  platform.on(CREATE, askingToWait(503, 6), created('an-id'));
  const { payments } = replicas[0]!;
  await payments.request(aRequestOfAnother());
  const sending = payments.request(aRequestOfAnother());
  await sleep(1_500);
  expect(platform.count(CREATE)).toBe(1);
  expect((await sending).state).toBe('pending');
});

it('A payment fails as not sent, and no create is sent, when the platform wants creates only after its time', async () => {
  await open(1, { sending: { sendBeforeMs: 5_000 } });
  platform.on(CREATE, askingToWait(503, 60));
  const { payments } = replicas[0]!;
  await payments.request(aRequestOfAnother());
  expect(await payments.request(aRequestOfAnother())).toMatchObject({
    state: 'failed',
    reason: 'not_sent',
  });
  expect(platform.count(CREATE)).toBe(1);
});

it('Payments are sent when the platform wants creates again shortly before their time is over', async () => {
  await open(1, { sending: { sendBeforeMs: 10_000 } });
  platform.on(CREATE, askingToWait(503, 6));
  const { payments } = replicas[0]!;
  await payments.request(aRequestOfAnother());
  let id = 0;
  platform.on(CREATE, (request, response) => created(`id${(id += 1)}`)(request, response));
  const sent = await Promise.all(
    Array.from({ length: 10 }, () => payments.request(aRequestOfAnother())),
  );
  expect(new Set(sent.map(({ state }) => state))).toEqual(new Set(['pending']));
});

it('A payment is sent with the token of a new client id, although the platform wants no token requests of the former one', async () => {
  await open(1, { clientId: 'former' });
  platform.on(TOKEN, askingToWait(429, 60));
  platform.on(CREATE, created('an-id'));
  const [former] = replicas;
  const { subscriber, amount } = aRequest();
  const bare = { subscriber, amount, tillNumber: '514459' };
  await expect(former!.app.get(IncomingPaymentsService).create(bare)).rejects.toMatchObject({
    code: 'PAYMENTS_RATE_LIMITED',
  });
  platform.on(TOKEN, token());
  await open(1, { clientId: 'new' }, former!.store);
  expect(await replicas[1]!.payments.request(aRequest())).toMatchObject({ state: 'pending' });
});

it('No replica asks for a token while the platform wants none, also while one of them waits to repeat its request', async () => {
  const retryAfterS = 3;
  const asked: number[] = [];
  platform.on(TOKEN, (request, response) => {
    asked.push(performance.now());
    askingToWait(429, retryAfterS)(request, response);
  });
  // The right to renew the token ends after twice this time.
  await open(3, { http: { readTimeoutMs: 1_000 } });
  await Promise.all(
    replicas.map(async ({ app }) => {
      while (asked.length < 2) {
        await app.get(TokensService).get().catch(sleep.bind(null, 100));
      }
    }),
  );
  const gaps = asked.slice(1).map((at, index) => at - (asked[index] as number));
  expect(gaps.filter((ms) => ms < retryAfterS * 1_000)).toEqual([]);
});

it.each<[string, string, (tokens: TokensService) => Promise<unknown>]>([
  ['introspects', 'POST /oauth/introspect', (tokens) => tokens.introspect('a-token')],
  ['revokes', 'POST /oauth/revoke', (tokens) => tokens.revoke('a-token')],
])(
  'A payment gets a token although the platform has asked a host that %s a token to wait',
  async (_, route, ask) => {
    await open(1, { sending: { sendBeforeMs: 5_000 } });
    platform.on(route, askingToWait(429, 90));
    platform.on(CREATE, created('an-id'));
    // Each replica obeys the answer that it got itself.
    for (let n = 0; n < 2; n += 1)
      await expect(ask(replicas[0]!.app.get(TokensService))).rejects.toThrow(/wait|429/);
    expect(platform.count(route)).toBe(1);
    expect(await replicas[0]!.payments.request(aRequest())).toMatchObject({ state: 'pending' });
  },
);
