import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { PaymentRecord } from '../operations/payments/payment.js';
import type { IncomingPayment } from '../platform/resources/incoming-payments.service.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  applied,
  anIncomingPayment,
  anUnknownPayment,
  aPendingPayment,
  aSuccess,
  aTransaction,
  SETTINGS,
  type LedgerUnderTest,
  keyOf,
  resourcesWith,
  loopsOf,
} from '../testing/ledger.fixture.js';
import { readerOf } from '../testing/operation-parts.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import {
  type DueOperationsLoops,
  SettledOperationsFollower,
} from './settled-operations-follower.js';
import type { AccountSweeps } from './sweeps.service.js';

Logger.overrideLogger(false);

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Work is looked for each minute of the skipped time: forty days in steps of seconds would last real minutes. */
const RECONCILIATION = { ...SETTINGS.reconciliation, intervalMs: MINUTE };

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('payments that have settled and may still change', () => {
  let runtime: SkippingRuntime;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let follower: DueOperationsLoops;
  /** The payments that were matched, and what matching does. */
  let matches: string[];
  let match: () => Promise<void>;
  /** Times of the reads of the payment. */
  let reads: number[];
  let answer: IncomingPayment;

  beforeEach(() => {
    runtime = new SkippingRuntime();
    store = new MemoryStore(() => runtime.now());
    reads = [];
    matches = [];
    match = async () => undefined;
    answer = anIncomingPayment('platform-1', 'Failed', null, ['cancelled']);
    const resources = resourcesWith({
      incomingPayments: {
        get: async () => {
          reads.push(runtime.now());
          return answer;
        },
      },
    });
    under = aLedger(store, { reconciliation: RECONCILIATION }, runtime, resources);
    const sweeps = {
      match: async (payment: PaymentRecord) => {
        matches.push(payment.id);
        await match();
      },
    } as unknown as AccountSweeps;
    const reader = readerOf<PaymentRecord>(under, runtime);
    const work = new SettledOperationsFollower(
      store.operations,
      under.ledger,
      reader,
      sweeps,
      runtime,
    );
    follower = loopsOf(under, runtime, work);
  });

  afterEach(() => follower.onModuleDestroy());

  const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await turn();
  };

  it('are read once more ten minutes after they failed, and not again if that read confirms it', async () => {
    const { id } = await aPendingPayment(under, 'platform-1');
    await applied(under, keyOf(id), answer, 'callback');
    const failedAt = runtime.now();
    follower.onApplicationBootstrap();
    await until(() => runtime.now() > failedAt + 2 * DAY);
    expect(reads).toHaveLength(1);
    expect((reads[0] ?? 0) - failedAt).toBeGreaterThanOrEqual(10 * MINUTE);
    expect((reads[0] ?? 0) - failedAt).toBeLessThanOrEqual(11 * MINUTE);
    expect(await under.ledger.find(keyOf(id))).toMatchObject({ state: 'failed' });
  });

  it('are read after ten minutes, even if a transaction caused an earlier read', async () => {
    runtime.random = () => 0;
    const { id } = await aPendingPayment(under, 'platform-1');
    await applied(under, keyOf(id), answer, 'callback');
    const failedAt = runtime.now();
    await store.operations.makeDue('default', [id], { cause: 'money ONE', againAfterMs: DAY });
    follower.onApplicationBootstrap();
    await until(() => runtime.now() > failedAt + 2 * DAY);
    expect(reads).toHaveLength(2);
    expect((reads[1] ?? 0) - failedAt).toBeGreaterThanOrEqual(10 * MINUTE);
  });

  it('go to review when that read shows a transaction', async () => {
    const { id } = await aPendingPayment(under, 'platform-1');
    await applied(under, keyOf(id), answer, 'callback');
    answer = aSuccess('platform-1');
    follower.onApplicationBootstrap();
    await until(async () => (await under.ledger.find(keyOf(id))).state !== 'failed');
    expect(await under.ledger.find(keyOf(id))).toMatchObject({
      state: 'needs_review',
      cause: 'paid_after_failure',
    });
  });

  it('are read hourly, then daily, for thirty days, while proof can settle a review', async () => {
    const { id } = await aPendingPayment(under, 'platform-1');
    answer = anIncomingPayment('platform-1', 'Pending', null);
    await under.ledger.review(keyOf(id), 'no_evidence', 'late');
    const reviewedAt = runtime.now();
    follower.onApplicationBootstrap();
    await until(() => runtime.now() > reviewedAt + 40 * DAY);
    const ages = reads.map((at) => (at - reviewedAt) / DAY);
    expect(ages.filter((age) => age <= 1).length).toBeGreaterThanOrEqual(18);
    expect(ages.filter((age) => age > 1).length).toBeGreaterThanOrEqual(24);
    expect(reads.length).toBeLessThanOrEqual(70);
    expect(Math.max(...ages)).toBeLessThanOrEqual(32);
  });

  it.each([
    ['are matched because money may be theirs, and not again', 1, 1],
    ['are matched again after an hour while that fails', 2, 2],
  ])('without an id %s', async (_, succeedsAt, times) => {
    const { id } = await anUnknownPayment(under);
    await under.ledger.review(keyOf(id), 'no_evidence', 'late');
    const reviewedAt = runtime.now();
    match = async () => {
      if (matches.length < succeedsAt) throw new Error('the lists are away');
    };
    follower.onApplicationBootstrap();
    await until(() => runtime.now() > reviewedAt + DAY);
    expect(matches).toEqual([]);
    await store.operations.makeDue('default', [id], { cause: 'money ONE', againAfterMs: DAY });
    await until(() => runtime.now() > reviewedAt + 3 * DAY);
    expect(matches).toEqual(Array.from({ length: times }, () => id));
  });

  it('settle when such a read shows proof', async () => {
    const { id } = await aPendingPayment(under, 'platform-1');
    await under.ledger.review(keyOf(id), 'no_evidence', 'late');
    answer = aSuccess('platform-1');
    follower.onApplicationBootstrap();
    await until(async () => (await under.ledger.find(keyOf(id))).state !== 'needs_review');
    expect(await under.ledger.find(keyOf(id))).toMatchObject({ state: 'succeeded' });
  });

  it('are not read while only a person can decide them', async () => {
    const { id } = await aPendingPayment(under, 'platform-1');
    const other = aSuccess('platform-1', aTransaction({ amount: '90' }));
    await applied(under, keyOf(id), other, 'callback');
    const reviewedAt = runtime.now();
    follower.onApplicationBootstrap();
    await until(() => runtime.now() > reviewedAt + 3 * DAY);
    expect(reads).toEqual([]);
  });
});
