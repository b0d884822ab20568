import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { NewDelivery } from '../store/deliveries.store.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aDelivery,
  aWebhook,
  deliveriesOf,
  type DeliveriesUnderTest,
} from '../testing/deliveries.fixture.js';
import {
  aLedger,
  aPendingPayment,
  applied,
  claimCalls,
  aSuccess,
  aTransaction,
  keyOf,
  listen,
  SETTINGS,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';
import { Runtime } from '../runtime/clock.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';

/** A turn of the event loop: with a `SkippingRuntime`, the timers that are set now have then run. */
const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

Logger.overrideLogger(false);

describe('a webhook that comes before the result of its payment', () => {
  let runtime: SkippingRuntime;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let deliveries: DeliveriesUnderTest;
  let payment: PaymentRecord;
  let webhook: NewDelivery;

  beforeEach(async () => {
    runtime = new SkippingRuntime();
    store = new MemoryStore(() => runtime.now());
    under = aLedger(store, {}, runtime);
    deliveries = deliveriesOf(under, runtime);
    payment = await aPendingPayment(under, 'x');
    webhook = aWebhook(aTransaction());
    // Only what waits for the result can name the payment.
    store.operations.findCandidates = async () => [];
    deliveries.processor.onApplicationBootstrap();
  });

  afterEach(() => deliveries.processor.onModuleDestroy());

  const done = async (): Promise<unknown> => {
    for (;;) {
      const { items } = await store.deliveries.list('default', { state: 'done' }, { limit: 9 });
      if (items.length > 0) return items[0];
      await aTurn();
    }
  };

  it('waits for the result, and is then stored and processed without a search for its payment', async () => {
    await listen(store, 'till.transaction.received');
    const search = jest.spyOn(store.operations, 'findCandidates');
    const accepted = deliveries.inbox.accept(webhook);
    await applied(under, keyOf(payment.id), aSuccess('x'), 'callback');
    await accepted;
    await done();
    expect(await claimCalls(store)).toMatchObject([{ payload: { paymentId: payment.id } }]);
    expect(search).not.toHaveBeenCalled();
  });

  it('is counted as a duplicate when another process has stored it, and is not stored twice', async () => {
    const elsewhere = deliveriesOf(aLedger(store, {}, runtime), runtime);
    await elsewhere.inbox.accept(webhook);
    await applied(under, keyOf(payment.id), aSuccess('x'), 'callback');
    await deliveries.inbox.accept(webhook);
    expect(await done()).toMatchObject({ duplicates: 1 });
  });
});

describe('a process', () => {
  it('claims 50 new deliveries of each kind while it stores them, and leaves more to claim queries', async () => {
    const runtime = new SkippingRuntime();
    const under = aLedger(new MemoryStore(), {}, runtime);
    const { processor } = deliveriesOf(under, runtime);
    const callback = aDelivery({});
    const claimed = (): boolean => processor.reserve(callback) !== undefined;
    expect(claimed()).toBe(false);
    processor.onApplicationBootstrap();
    expect(Array.from({ length: 51 }, claimed).filter(Boolean)).toHaveLength(50);
    expect(processor.reserve({ ...callback, kind: 'webhook' })).toBeDefined();
    processor.release(callback);
    expect(claimed()).toBe(true);
    await processor.onModuleDestroy();
    processor.release(callback);
    expect(claimed()).toBe(false);
  });
});

describe('a callback with a hundred thousand names', () => {
  const body = Buffer.from(
    `{"data":{"type":"incoming_payment","customer_cc_number":"4111111111111111",${'"k":"%41",'.repeat(100_000)}"id":"x"}}`,
  );

  it.each(['working', 'only storing'])(
    'is kept as unrecognised with an anomaly, without its end and without card numbers, by a process that is %s',
    async (kind) => {
      const runtime = new SkippingRuntime();
      const store = new MemoryStore(() => runtime.now());
      const under = aLedger(store, {}, runtime);
      const { inbox, processor } = deliveriesOf(under, runtime);
      if (kind === 'working') processor.onApplicationBootstrap();
      await inbox.accept({ ...aDelivery({}), body });
      processor.onApplicationBootstrap();
      for (;;) {
        const filter = { state: 'unrecognised' } as const;
        const { items } = await store.deliveries.list('default', filter, { limit: 9 });
        const [found] = items;
        if (found) {
          expect(found.lastError).toBe(
            'it has more than 50,000 names, values and escapes: only its beginning is kept',
          );
          const kept = await store.deliveries.find('default', found.id);
          expect(kept?.body.length).toBeLessThan(66_000);
          expect(kept?.body.toString()).toMatch(/"customer_cc_number":"1111"/);
          break;
        }
        await aTurn();
      }
      expect(await store.anomalies.list('default')).toMatchObject([
        { kind: 'unrecognised', count: 1, examples: [{ what: 'unrecognised callback' }] },
      ]);
      await processor.onModuleDestroy();
    },
  );
});

describe('deliveries that are being stored', () => {
  it('may take 8 MB of one account: more are refused until one is stored, and those of others are not', async () => {
    const runtime = new Runtime();
    const store = new MemoryStore();
    const under = aLedger(store, {}, runtime);
    under.accounts.add({ ...SETTINGS, account: 'second', path: 'second' });
    const { inbox } = deliveriesOf(under, runtime);
    let end = (): void => undefined;
    const hangs = new Promise<void>((resolve) => (end = resolve));
    const save = store.deliveries.store.bind(store.deliveries);
    store.deliveries.store = (...delivery) => hangs.then(() => save(...delivery));
    const large = (letter: string, account = 'default'): Promise<void> =>
      inbox.accept({
        ...aDelivery({}, { account }),
        body: Buffer.alloc(4 * 1_024 * 1_024, letter),
      });
    const first = [large('a'), large('b')];
    await expect(large('c')).rejects.toThrow(
      'too many large deliveries of account default are being stored',
    );
    first.push(large('d', 'second'));
    end();
    await Promise.all(first);
    await expect(large('e')).resolves.toBeUndefined();
  });
});
