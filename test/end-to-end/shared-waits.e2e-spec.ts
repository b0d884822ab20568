import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  MemoryStore,
  PaymentsStore,
  PollingService,
  StoreUnavailableError,
  SweepsService,
  TokensService,
  WebhookSubscriptionsService,
  type PaymentsOptions,
} from '@tillkit/payments';
import { aRequest, Merchant } from '../support/merchant.js';
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
    await replicas[index % replicas.length]!.payments.request(aRequest({ allowParallel: true }));
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

it('No replica reads while one of them waits to repeat a read, because the platform has asked it to', async () => {
  await open(2, { reconciliation: QUICK });
  for (const id of IDS) platform.on(readsOf(id), askingToWait(429, 4));
  await payAll();
  await until(() => reads() > 0);
  await sleep(1_500);
  expect(reads()).toBe(1);
});

it('No replica reads while the platform has asked one of them to wait with its sweep', async () => {
  await open(2, { reconciliation: { ...QUICK, scheduleMs: [1_000] } });
  for (const id of IDS) platform.on(readsOf(id), json(200, {}));
  platform.on(POLL, askingToWait(429, 30));
  const sweep = replicas[0]!.app.get(SweepsService).sweep();
  sweep.catch(() => undefined);
  await until(() => platform.count(POLL) === 1);
  await payAll();
  await sleep(2_500);
  expect([platform.count(POLL), reads()]).toEqual([1, 0]);
});

it('A read is not repeated while the platform has asked another replica to wait longer', async () => {
  await open(2, { reconciliation: { ...QUICK, requestsPerSecond: 1_000 } });
  const [one, other] = ['one', 'two'].map(readsOf) as [string, string];
  let answerOther = (): void => undefined;
  platform.on(one, (request, response) => {
    // Both reads are under way before one is answered.
    void until(() => platform.count(other) === 1)
      .then(() => askingToWait(429, 1)(request, response))
      .then(() => answerOther());
  });
  platform.on(other, (request, response) => {
    answerOther = () => askingToWait(429, 20)(request, response);
  });
  platform.on(CREATE, created('one'), created('two'));
  for (const { payments } of replicas) await payments.request(aRequest({ allowParallel: true }));
  await until(() => platform.count(other) === 1);
  await sleep(4_000);
  expect(reads()).toBe(2);
});

it.each<[string, string, (app: INestApplication) => Promise<unknown>]>([
  [
    'a polling request',
    POLL,
    (app) => app.get(PollingService).create({ fromTime: ago(60_000), toTime: ago(0) }),
  ],
  [
    'a subscription',
    'POST /api/v1/webhook_subscriptions',
    (app) =>
      app
        .get(WebhookSubscriptionsService)
        .create({ eventType: 'customer_created', scope: 'company' }),
  ],
  ['a read', 'GET /api/v2/polling/one', (app) => app.get(PollingService).get('one')],
])(
  'No replica makes %s for the host while the platform has asked another one to wait with it',
  async (_, route, ask) => {
    await open(2);
    platform.on(route, askingToWait(429, 90));
    for (const { app } of [...replicas, ...replicas])
      await expect(ask(app)).rejects.toMatchObject({ code: 'PAYMENTS_RATE_LIMITED' });
    expect(platform.count(route)).toBe(1);
  },
);

it('A create waits while the platform has asked that of another replica to wait with a 503', async () => {
  await open(2);
  platform.on(CREATE, askingToWait(503, 3), created('an-id'));
  for (const { app } of replicas) await app.get(TokensService).get();
  const [one, other] = replicas.map(({ payments }) => payments);
  await one!.request(aRequest({ allowParallel: true }));
  const sending = other!.request(aRequest({ allowParallel: true }));
  await sleep(1_500);
  expect(platform.count(CREATE)).toBe(1);
  expect((await sending).state).toBe('pending');
});

it('No create is sent while the platform has asked to wait, although the store took that at the second attempt only', async () => {
  const store = new MemoryStore();
  const close = store.traffic.close.bind(store.traffic);
  let failures = 0;
  store.traffic.close = async (...args) => {
    failures += 1;
    if (failures === 1) throw new StoreUnavailableError('the connection was lost');
    return close(...args);
  };
  await open(1, { sending: { sendBeforeMs: 2_000 } }, store);
  platform.on(CREATE, askingToWait(429, 60));
  const { subscriber, amount } = aRequest();
  const create = (): Promise<unknown> =>
    replicas[0]!.app
      .get(IncomingPaymentsService)
      .create({ subscriber, amount, tillNumber: '514459' });
  await expect(create()).rejects.toMatchObject({ code: 'PAYMENTS_RATE_LIMITED' });
  await until(() => failures === 2);
  await expect(create()).rejects.toMatchObject({ code: 'PAYMENTS_RATE_LIMITED' });
  expect(platform.count(CREATE)).toBe(1);
});

it('Payments are sent when the platform wants creates again shortly before their time is over', async () => {
  const store = new MemoryStore();
  await open(1, { sending: { sendBeforeMs: 10_000 } }, store);
  platform.on(CREATE, created('first'));
  const { payments } = replicas[0]!;
  await payments.request(aRequest({ allowParallel: true }));
  await store.traffic.close('default', 'creates', 6_000);
  let id = 0;
  platform.on(CREATE, (request, response) => created(`id${(id += 1)}`)(request, response));
  const sent = await Promise.all(
    Array.from({ length: 10 }, () => payments.request(aRequest({ allowParallel: true }))),
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
  const retryAfterS = 2;
  const asked: number[] = [];
  platform.on(TOKEN, (request, response) => {
    asked.push(performance.now());
    askingToWait(429, retryAfterS)(request, response);
  });
  // The right to renew the token ends after twice this time.
  await open(3, { http: { tokenTimeoutMs: 500 } });
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
    await open(2, { sending: { sendBeforeMs: 5_000 } });
    platform.on(route, askingToWait(429, 90));
    platform.on(CREATE, created('an-id'));
    // It obeys for itself, also in the other replica.
    for (const { app } of replicas)
      await expect(ask(app.get(TokensService))).rejects.toThrow(/wait|429/);
    expect(platform.count(route)).toBe(1);
    expect(await replicas[0]!.payments.request(aRequest())).toMatchObject({ state: 'pending' });
  },
);

it('A background read that waited for a token is not made when the platform has asked meanwhile to wait', async () => {
  const store = new MemoryStore();
  await open(1, { reconciliation: QUICK }, store);
  platform.on(CREATE, created('one'));
  platform.on(readsOf('one'), json(200, {}));
  const [{ payments, app }] = replicas as [Merchant];
  await payments.request(aRequest());
  let answer: (() => void) | undefined;
  platform.on('POST /oauth/revoke', (_, response) => void response.writeHead(200).end('{}'));
  platform.on(TOKEN, (request, response) => {
    answer = () => token({ access_token: 'another-token' })(request, response);
  });
  await app.get(TokensService).revoke();
  // The read has its turn, and waits for a token.
  await until(() => answer !== undefined);
  await store.traffic.close('default', 'others', 60_000);
  await sleep(200);
  answer?.();
  await sleep(500);
  expect(platform.count(readsOf('one'))).toBe(0);
});

it('A read that waited for a connection is not made when the platform has asked meanwhile to wait', async () => {
  const store = new MemoryStore();
  await open(1, { http: { maxSockets: 1 } }, store);
  const [slow, other] = ['one', 'two'].map((id) => `GET /api/v2/polling/${id}`) as [string, string];
  let answer: (() => void) | undefined;
  platform.on(slow, (request, response) => {
    answer = () => json(404, {})(request, response);
  });
  platform.on(other, json(404, {}));
  const polling = replicas[0]!.app.get(PollingService);
  const reads = [polling.get('one'), polling.get('two')].map((read) =>
    read.catch((error: unknown) => error),
  );
  await until(() => answer !== undefined);
  await sleep(200);
  await store.traffic.close('default', 'others', 90_000);
  answer?.();
  expect(await reads[1]).toMatchObject({ code: 'PAYMENTS_RATE_LIMITED' });
  expect(platform.count(other)).toBe(0);
});
