import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Runtime } from '../runtime/clock.js';
import { MemoryStore } from '../memory/memory.store.js';
import { aDelivery, callbackUrlOf, deliveriesOf } from '../testing/deliveries.fixture.js';
import { aLedger, aPendingPayment, SETTINGS } from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import type { CallbackResultsService } from './callback-results.service.js';
import type { DeliveryRecord } from '../store/deliveries.store.js';

Logger.overrideLogger(false);

const RESULT = { data: { id: 'x', type: 'incoming_payment', attributes: {}, _links: {} } };

describe('the deliveries of two accounts', () => {
  it('are applied for one account while those of the other account wait for its platform, however many they are', async () => {
    const store = new MemoryStore();
    const runtime = new Runtime();
    const under = aLedger(store, {}, runtime);
    under.accounts.add({ ...SETTINGS, account: 'second', path: 'second' });
    const stored = (account: string): Promise<unknown> =>
      store.deliveries.store(aDelivery(RESULT, { account, verifiedBy: 'url' }));
    for (let n = 0; n < 200; n += 1) await stored('second');
    await stored('default');
    let comeBack = (): void => undefined;
    const away = new Promise<void>((resolve) => (comeBack = resolve));
    const applied: string[] = [];
    const results = {
      apply: async ({ account }: DeliveryRecord) => {
        if (account === 'second') await away;
        applied.push(account);
        return { kind: 'applied' };
      },
    } as unknown as CallbackResultsService;
    const { processor } = deliveriesOf(under, runtime, undefined, results);
    processor.onApplicationBootstrap();
    while (applied.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const atOnce = [...applied];
    comeBack();
    await processor.onModuleDestroy();
    expect(atOnce).toEqual(['default']);
  });
});

describe('deliveries that come faster than they are processed', () => {
  it('do not overtake the ones that are stored: the oldest is never far behind', async () => {
    const runtime = new Runtime();
    const under = aLedger(new MemoryStore(), {}, runtime);
    const processed: number[] = [];
    let arrived = 0;
    const results = {
      apply: async ({ body }: DeliveryRecord) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        processed.push(JSON.parse(body.toString()).data.n as number);
        if (processed.length > 2_000) return { kind: 'applied' };
        void arrive();
        if (processed.length % 5 === 0) void arrive();
        return { kind: 'applied' };
      },
    } as unknown as CallbackResultsService;
    const { inbox, processor } = deliveriesOf(under, runtime, undefined, results);
    const arrive = async (): Promise<void> => {
      const body = { data: { ...RESULT.data, n: arrived } };
      arrived += 1;
      await inbox.accept(aDelivery(body, { verifiedBy: 'url' }));
    };
    processor.onApplicationBootstrap();
    await Promise.all(Array.from({ length: 150 }, arrive));
    while (processed.length < 2_000) await new Promise((resolve) => setTimeout(resolve, 5));
    const done = new Set(processed);
    const newest = Math.max(...processed);
    const oldestLeft = Array.from({ length: newest }, (_, n) => n).find((n) => !done.has(n));
    await processor.onModuleDestroy();
    expect(newest - (oldestLeft ?? newest)).toBeLessThan(1_000);
  });
});

describe('a delivery that waits', () => {
  it.each([100, 400, 1_000, 3_000, 60_000])(
    'for %d ms is processed again at that time, and not at the next look of an idle process',
    async (inMs) => {
      const runtime = new SkippingRuntime();
      const store = new MemoryStore(() => runtime.now());
      const under = aLedger(store, {}, runtime);
      const appliedAt: number[] = [];
      const results = {
        apply: async () => {
          appliedAt.push(runtime.now());
          return appliedAt.length > 1 ? { kind: 'applied' } : { kind: 'wait', inMs, why: 'early' };
        },
      } as unknown as CallbackResultsService;
      const { processor } = deliveriesOf(under, runtime, undefined, results);
      await store.deliveries.store(aDelivery(RESULT, { verifiedBy: 'url' }));
      processor.onApplicationBootstrap();
      while (appliedAt.length < 2) await new Promise((resolve) => setImmediate(resolve));
      await processor.onModuleDestroy();
      const [first, second] = appliedAt as [number, number];
      expect(second - first).toBeGreaterThanOrEqual(inMs);
      expect(second - first).toBeLessThanOrEqual(inMs + 60);
    },
  );
});

describe('a large result that names nothing here', () => {
  const large = (id: string, url: string): Buffer =>
    Buffer.from(
      JSON.stringify({
        data: {
          id,
          type: 'incoming_payment',
          attributes: { note: 'x'.repeat(20_000), _links: { callback_url: url } },
        },
      }),
    );

  /** The body counts how often its text is read. */
  const counted = (body: Buffer): { body: Buffer; reads: () => number } => {
    let reads = 0;
    const toString = (encoding?: BufferEncoding): string => {
      reads += 1;
      return Buffer.from(body).toString(encoding);
    };
    return { body: Object.assign(body, { toString }), reads: () => reads };
  };

  it.each([
    ['with the id of another payment', 'nobody', callbackUrlOf('nobody')],
    ['of a request that is none', 'nobody', callbackUrlOf('nobody', 'pay')],
    ['without a callback URL', 'nobody', ''],
  ])('%s is parsed once, and given up after ten minutes', async (_, id, url) => {
    const runtime = new SkippingRuntime();
    const store = new MemoryStore(() => runtime.now());
    const under = aLedger(store, {}, runtime);
    const { body, reads } = counted(large(id, url));
    await store.deliveries.store(aDelivery({}, { body }));
    const finish = jest.spyOn(store.deliveries, 'finish');
    const { processor } = deliveriesOf(under, runtime);
    processor.onApplicationBootstrap();
    const unrecognised = (): ReturnType<typeof store.deliveries.list> =>
      store.deliveries.list('default', { state: 'unrecognised' }, { limit: 1 });
    while ((await unrecognised()).items.length === 0) await new Promise(setImmediate);
    await processor.onModuleDestroy();
    expect(finish.mock.calls.length).toBeGreaterThan(10);
    expect(reads()).toBe(1);
    const [anomaly] = await store.anomalies.list('default');
    expect(anomaly?.examples).toMatchObject([{ what: 'unrecognised incoming_payment' }]);
  });

  it('is parsed again and applied when its payment appears', async () => {
    const runtime = new SkippingRuntime();
    const store = new MemoryStore(() => runtime.now());
    const under = aLedger(store, {}, runtime);
    const { body, reads } = counted(large('x', callbackUrlOf('elsewhere')));
    const delivery = aDelivery({}, { body });
    await store.deliveries.store(delivery);
    const finish = jest.spyOn(store.deliveries, 'finish');
    const { processor } = deliveriesOf(under, runtime);
    processor.onApplicationBootstrap();
    while (finish.mock.calls.length < 3) await new Promise(setImmediate);
    expect(reads()).toBe(1);
    await aPendingPayment(under, 'x');
    const found = (): ReturnType<typeof store.deliveries.find> =>
      store.deliveries.find('default', delivery.id);
    while ((await found())?.state !== 'done') await new Promise(setImmediate);
    await processor.onModuleDestroy();
    expect(reads()).toBe(2);
  });
});
