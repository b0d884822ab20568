import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { NewDelivery } from '../store/new-delivery.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { MemoryStore } from '../store/memory/memory.store.js';
import {
  aDelivery,
  aWebhook,
  deliveriesOf,
  type DeliveriesUnderTest,
} from '../testing/deliveries.fixture.js';
import {
  aLedger,
  aPaymentRecord,
  anIncomingPayment,
  aPendingPayment,
  applied,
  claimCalls,
  aSuccess,
  aTransaction,
  keyOf,
  listen,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';

/** A turn of the event loop: with a `SkippingRuntime`, the timers that are set now have then run. */
const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a webhook that comes before the result of its payment', () => {
  let runtime: SkippingRuntime;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let deliveries: DeliveriesUnderTest;
  let payment: PaymentRecord;
  /** Another open payment of the same money that this process knows, at another till. */
  let other: PaymentRecord;
  let webhook: NewDelivery;
  let warnings: string[];

  beforeEach(async () => {
    warnings = [];
    const ignore = (): void => undefined;
    const warn = (line: unknown): unknown => warnings.push(String(line));
    Logger.overrideLogger({ log: ignore, error: warn, warn });
    runtime = new SkippingRuntime();
    store = new MemoryStore(() => runtime.now());
    under = aLedger(store, {}, runtime);
    deliveries = deliveriesOf(under, runtime);
    other = aPaymentRecord({ id: 'other', tills: ['514460'] });
    under.records.keep(other);
    payment = await aPendingPayment(under, 'x');
    webhook = aWebhook(aTransaction());
    // Only what waits for the result can name the payment.
    store.operations.findCandidates = async () => [];
    deliveries.processor.onApplicationBootstrap();
  });

  afterEach(async () => {
    await deliveries.processor.onModuleDestroy();
    Logger.overrideLogger(false);
  });

  const done = async (): Promise<unknown> => {
    for (;;) {
      const { items } = await store.deliveries.list('default', { state: 'done' }, { limit: 9 });
      if (items.length > 0) return items[0];
      await aTurn();
    }
  };

  /**
   * Makes a record one that the code for immediate changes cannot judge: it throws as soon as it looks at it. No record of this version is
   * so; the record stands for any fault in that code.
   */
  const plantFault = (): void => {
    const some = (): never => {
      throw new Error('nobody at +254700000001');
    };
    Object.assign(other, { tills: { some } });
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

  it('is stored, answered and processed, even if this process cannot judge it', async () => {
    plantFault();
    await deliveries.inbox.accept(webhook);
    expect(await done()).toMatchObject({ attempts: 1, duplicates: 0 });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).not.toContain('254700000001');
  });

  it('does not fail the commit of its payment, even if it cannot be judged any more', async () => {
    const accepted = deliveries.inbox.accept(webhook);
    plantFault();
    const failed = anIncomingPayment('x', 'Failed', null, ['no money']);
    expect(await applied(under, keyOf(payment.id), failed, 'callback')).toMatchObject({
      state: 'failed',
    });
    await accepted;
    await done();
    expect(warnings).toHaveLength(1);
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
