import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { BackgroundPacer } from '../http/background.pacer.js';
import { ClosingSignal } from '../http/closing.signal.js';
import { PlatformClock } from '../http/platform.clock.js';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import { Ledger } from '../ledger/ledger.js';
import { MemoryStore } from '../ledger/memory/memory.store.js';
import { PaymentReader } from '../ledger/payment.reader.js';
import type { PaymentRecord } from '../ledger/payment.js';
import type { IncomingPayment } from '../resources/incoming-payments/incoming-payment.resource.js';
import type { IncomingPaymentsService } from '../resources/incoming-payments/incoming-payments.service.js';
import {
  aNewPayment,
  anIncomingPayment,
  aTransaction,
  SETTINGS as ANY_SETTINGS,
} from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { PaymentMatcher } from './payment.matcher.js';
import type { SweepSchedule } from './sweep.schedule.js';
import { SettledPaymentsFollower } from './settled-payments.follower.js';

Logger.overrideLogger(false);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The work is looked for each minute of the skipped time: forty days in steps of seconds would take real minutes. */
const SETTINGS = {
  ...ANY_SETTINGS,
  reconciliation: { ...ANY_SETTINGS.reconciliation, intervalMs: MINUTE },
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('payments that have settled and may still change', () => {
  let runtime: SkippingRuntime;
  let store: MemoryStore;
  let ledger: Ledger;
  let follower: SettledPaymentsFollower;
  let closing: ClosingSignal;
  /** Whether all money of any window was read. */
  let listsAreWhole: boolean;
  /** When the platform was asked for the payment. */
  let reads: number[];
  let answer: IncomingPayment;

  beforeEach(() => {
    runtime = new SkippingRuntime();
    store = new MemoryStore(() => runtime.now());
    closing = new ClosingSignal(runtime);
    const clock = new PlatformClock(runtime);
    const feed = new LedgerFeed(closing);
    ledger = new Ledger(store, feed, clock, SETTINGS);
    reads = [];
    listsAreWhole = true;
    answer = anIncomingPayment('platform-1', 'Failed', null, ['cancelled']);
    const platform = {
      get: async () => {
        reads.push(runtime.now());
        return answer;
      },
    } as unknown as IncomingPaymentsService;
    const pacer = new BackgroundPacer(closing, SETTINGS, runtime);
    const reader = new PaymentReader(platform, ledger, pacer, clock);
    const matcher = new PaymentMatcher(store, ledger, reader, SETTINGS);
    follower = new SettledPaymentsFollower(
      store,
      feed,
      closing,
      ledger,
      reader,
      matcher,
      { covers: async () => listsAreWhole } as unknown as SweepSchedule,
      SETTINGS,
      runtime,
    );
  });

  afterEach(() => follower.onModuleDestroy());

  const pending = async (): Promise<PaymentRecord> => {
    const recorded = await store.recordPayment(aNewPayment(), { sendBeforeMs: MINUTE });
    if (recorded.kind !== 'recorded') throw new Error(recorded.kind);
    const sent = await ledger.markRequested(recorded.payment, 'one', MINUTE);
    return ledger.takeAnswer(sent as PaymentRecord, { kind: 'created', id: 'platform-1' });
  };

  const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await turn();
  };

  it('are read once more ten minutes after they failed, and no more when that is confirmed', async () => {
    const { id } = await pending();
    await ledger.takeIncomingPayment(id, answer, 'callback');
    const failedAt = runtime.now();
    await follower.onApplicationBootstrap();
    await until(() => runtime.now() > failedAt + 2 * DAY);
    expect(reads).toHaveLength(1);
    expect((reads[0] ?? 0) - failedAt).toBeGreaterThanOrEqual(10 * MINUTE);
    expect((reads[0] ?? 0) - failedAt).toBeLessThanOrEqual(11 * MINUTE);
    expect(await ledger.payment(id)).toMatchObject({ state: 'failed' });
  });

  it('are read after ten minutes also when money had them read sooner', async () => {
    runtime.random = () => 0;
    const { id } = await pending();
    await ledger.takeIncomingPayment(id, answer, 'callback');
    const failedAt = runtime.now();
    await store.hastenPayments('default', [id], { cause: 'money ONE', againAfterMs: DAY });
    await follower.onApplicationBootstrap();
    await until(() => runtime.now() > failedAt + 2 * DAY);
    expect(reads).toHaveLength(2);
    expect((reads[1] ?? 0) - failedAt).toBeGreaterThanOrEqual(10 * MINUTE);
  });

  it('go to review when that read shows the money', async () => {
    const { id } = await pending();
    await ledger.takeIncomingPayment(id, answer, 'callback');
    answer = anIncomingPayment('platform-1', 'Success', aTransaction());
    await follower.onApplicationBootstrap();
    await until(async () => (await ledger.payment(id)).state !== 'failed');
    expect(await ledger.payment(id)).toMatchObject({
      state: 'needs_review',
      cause: 'paid_after_failure',
    });
  });

  it('are read hourly, then daily, for thirty days, while proof can settle a review', async () => {
    const { id } = await pending();
    answer = anIncomingPayment('platform-1', 'Pending', null);
    await ledger.review(id, 'no_evidence', 'late');
    const reviewedAt = runtime.now();
    await follower.onApplicationBootstrap();
    await until(() => runtime.now() > reviewedAt + 40 * DAY);
    const ages = reads.map((at) => (at - reviewedAt) / DAY);
    expect(ages.filter((age) => age <= 1).length).toBeGreaterThanOrEqual(18);
    expect(ages.filter((age) => age > 1).length).toBeGreaterThanOrEqual(24);
    expect(reads.length).toBeLessThanOrEqual(70);
    expect(Math.max(...ages)).toBeLessThanOrEqual(32);
  });

  it('are matched by money only when all money of their time was listed', async () => {
    const recorded = await store.recordPayment(aNewPayment(), { sendBeforeMs: MINUTE });
    if (recorded.kind !== 'recorded') throw new Error(recorded.kind);
    const { id } = recorded.payment;
    await ledger.markRequested(recorded.payment, 'one', MINUTE);
    await ledger.giveUpOnAnswer(id);
    await ledger.review(id, 'no_evidence', 'late');
    await ledger.observeTransaction({
      via: 'webhook',
      transaction: aTransaction({ originationTime: new Date(runtime.now()).toISOString() }),
      reversal: false,
      webhookEventId: null,
      announce: true,
    });
    listsAreWhole = false;
    const reviewedAt = runtime.now();
    await follower.onApplicationBootstrap();
    await until(() => runtime.now() > reviewedAt + 6 * HOUR);
    expect(await ledger.payment(id)).toMatchObject({ state: 'needs_review' });
    listsAreWhole = true;
    await until(async () => (await ledger.payment(id)).state !== 'needs_review');
    expect(await ledger.payment(id)).toMatchObject({ state: 'succeeded' });
  });

  it('settle when such a read brings the proof', async () => {
    const { id } = await pending();
    await ledger.review(id, 'no_evidence', 'late');
    answer = anIncomingPayment('platform-1', 'Success', aTransaction());
    await follower.onApplicationBootstrap();
    await until(async () => (await ledger.payment(id)).state !== 'needs_review');
    expect(await ledger.payment(id)).toMatchObject({ state: 'succeeded' });
  });

  it('are not read while only a person can decide them', async () => {
    const { id } = await pending();
    const other = anIncomingPayment('platform-1', 'Success', aTransaction({ amount: '90' }));
    await ledger.takeIncomingPayment(id, other, 'callback');
    const reviewedAt = runtime.now();
    await follower.onApplicationBootstrap();
    await until(() => runtime.now() > reviewedAt + 3 * DAY);
    expect(reads).toEqual([]);
  });
});
