import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ClosingSignal } from '../http/closing.signal.js';
import { PlatformClock } from '../http/platform.clock.js';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import { Ledger } from '../ledger/ledger.js';
import { MemoryStore } from '../ledger/memory/memory.store.js';
import type { PaymentReader } from '../ledger/payment.reader.js';
import type { PaymentSender } from '../ledger/payment.sender.js';
import type { PaymentRecord } from '../ledger/payment.js';
import { Runtime } from '../runtime/runtime.js';
import { aNewPayment, SETTINGS } from '../testing/ledger.fixture.js';
import { OverduePaymentsReconciler } from './overdue-payments.reconciler.js';
import type { PaymentMatcher } from './payment.matcher.js';
import type { SweepSchedule } from './sweep.schedule.js';

Logger.overrideLogger(false);

const MINUTE = 60_000;

/** A clock that the test moves. */
class MovedRuntime extends Runtime {
  time = Date.UTC(2026, 0, 20, 12);
  override now(): number {
    return this.time;
  }
}

describe('a payment whose window cannot be swept', () => {
  let runtime: MovedRuntime;
  let store: MemoryStore;
  let ledger: Ledger;
  let closing: ClosingSignal;
  let reads: number;
  let reconciler: OverduePaymentsReconciler;

  beforeEach(() => {
    runtime = new MovedRuntime();
    closing = new ClosingSignal(runtime);
    store = new MemoryStore(() => runtime.now());
    const clock = new PlatformClock(runtime);
    const feed = new LedgerFeed(closing);
    ledger = new Ledger(store, feed, clock, SETTINGS);
    reads = 0;
    const reader = {
      read: async (payment: PaymentRecord) => {
        reads += 1;
        return ledger.payment(payment.id);
      },
    } as unknown as PaymentReader;
    const sweeps = {
      covers: async () => Promise.reject(new Error('the lists are away')),
    } as unknown as SweepSchedule;
    reconciler = new OverduePaymentsReconciler(
      store,
      feed,
      closing,
      ledger,
      {} as PaymentSender,
      reader,
      {} as PaymentMatcher,
      sweeps,
      clock,
      SETTINGS,
      runtime,
    );
  });

  afterEach(() => reconciler.onModuleDestroy());

  const claimed = async (): Promise<PaymentRecord[]> =>
    store.claimDuePayments('default', {
      followed: false,
      limit: 10,
      leaseMs: MINUTE,
      sendLeaseMs: MINUTE,
    });

  it.each([
    ['is read on its schedule when it can be read', 'p1', 0],
    ['is looked at again soon when it has no id', null, 1],
  ])('%s', async (_, platformId, dueSoon) => {
    const recorded = await store.recordPayment(aNewPayment(), { sendBeforeMs: MINUTE });
    if (recorded.kind !== 'recorded') throw new Error(recorded.kind);
    const requested = await ledger.markRequested(recorded.payment, 'one', 1_000);
    if (platformId === null) await ledger.giveUpOnAnswer(recorded.payment.id);
    else await ledger.takeAnswer(requested as PaymentRecord, { kind: 'created', id: platformId });
    runtime.time += 30 * MINUTE;
    await reconciler.onApplicationBootstrap();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(reads).toBe(platformId === null ? 0 : 1);
    // Later than a repeat after a failure, and sooner than the schedule's second read.
    runtime.time += 19_000;
    expect(await claimed()).toHaveLength(dueSoon);
  });
});

describe('a payment that was recorded to be sent', () => {
  it('is left to another process in time when the one that claimed it dies', async () => {
    const runtime = new MovedRuntime();
    const store = new MemoryStore(() => runtime.now());
    const clock = new PlatformClock(runtime);
    const processOf = (
      send: (payment: PaymentRecord) => Promise<PaymentRecord>,
    ): OverduePaymentsReconciler => {
      const closing = new ClosingSignal(runtime);
      const feed = new LedgerFeed(closing);
      return new OverduePaymentsReconciler(
        store,
        feed,
        closing,
        new Ledger(store, feed, clock, SETTINGS),
        { send } as unknown as PaymentSender,
        {} as PaymentReader,
        {} as PaymentMatcher,
        {} as SweepSchedule,
        clock,
        SETTINGS,
        runtime,
      );
    };
    await store.recordPayment(aNewPayment({ inBackground: true }), { sendBeforeMs: MINUTE });
    let die = (): void => undefined;
    const claimed = new Promise<Sending>((tell) => {
      const dying = processOf(async (payment) => {
        tell({ by: dying, payment });
        await new Promise<void>((resolve) => (die = resolve));
        return payment;
      });
      void dying.onApplicationBootstrap();
    });
    const { by: dying, payment } = await claimed;
    runtime.time += MINUTE / 2;
    const sentBySurvivor = new Promise<Sending>((tell) => {
      const survivor = processOf(async (sent) => {
        tell({ by: survivor, payment: sent });
        return sent;
      });
      void survivor.onApplicationBootstrap();
    });
    const { by: survivor, payment: sent } = await sentBySurvivor;
    expect(sent.id).toBe(payment.id);
    expect(sent.sendWithinMs).toBeGreaterThan(0);
    die();
    await Promise.all([dying.onModuleDestroy(), survivor.onModuleDestroy()]);
  });
});

interface Sending {
  by: OverduePaymentsReconciler;
  payment: PaymentRecord;
}
