import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MemoryStore, PollingService } from '@tillkit/payments';
import { BackgroundRequests } from '../../libs/payments/src/http/background-requests.js';
import { Resources } from '../../libs/payments/src/resources/resources.js';
import { Merchant } from '../support/merchant.js';
import { EXPRESS } from '../support/platforms.js';
import { created, json, ScriptedPlatform } from '../support/scripted.platform.js';

const READ = 'GET /api/v2/incoming_payments/an-id';
const POLL = 'POST /api/v2/polling';
let platform: ScriptedPlatform;
let replicas: Merchant[];

beforeEach(async () => {
  platform = await ScriptedPlatform.open();
  const store = new MemoryStore();
  const settings = { ...platform.settings, store, sending: { sendBeforeMs: 60_000 } };
  replicas = [
    await Merchant.open({ platform: EXPRESS, payments: settings }),
    await Merchant.open({ platform: EXPRESS, payments: settings }),
  ];
});
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await platform.close();
});

/** A background read of a replica. Its error does not matter: the requests are counted. */
const read = ({ app }: Merchant): Promise<unknown> =>
  app
    .get(BackgroundRequests)
    .run('default', 'overdue', () =>
      app.get(Resources).of('default').client.read('read', '/api/v2/incoming_payments/an-id'),
    )
    .catch(() => undefined);

it('a replica makes no background read while the platform has asked another one to wait 3 s with its reads', async () => {
  platform.on(READ, json(429, {}, { 'retry-after': '3' }), json(200, { data: { id: 'an-id' } }));
  const first = read(replicas[0]!);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const second = read(replicas[1]!);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const count = platform.count(READ);
  await Promise.all([first, second]);
  expect(count).toBe(1);
}, 60_000);

it('a replica makes no background read while the platform has asked the sweep of another one to wait 30 s', async () => {
  platform.on(POLL, json(429, {}, { 'retry-after': '30' }), created('a-poll', '/api/v2/polling'));
  platform.on(READ, json(200, { data: { id: 'an-id' } }));
  const sweep = replicas[0]!.app
    .get(BackgroundRequests)
    .run('default', 'sweep', () =>
      replicas[0]!.app.get(PollingService).create({
        fromTime: new Date(Date.now() - 60_000).toISOString(),
        toTime: new Date().toISOString(),
      }),
    )
    .catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await read(replicas[1]!);
  expect([platform.count(POLL), platform.count(READ)]).toEqual([1, 0]);
  await replicas[0]!.app.close();
  await sweep;
}, 90_000);

it('a replica makes no background read after the platform has asked another one to wait 30 s with its reads', async () => {
  platform.on(READ, json(429, {}, { 'retry-after': '30' }), json(200, { data: { id: 'an-id' } }));
  await read(replicas[0]!);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await read(replicas[1]!);
  expect(platform.count(READ)).toBe(1);
}, 60_000);
