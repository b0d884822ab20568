import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ClosingSignal } from '../http/closing.signal.js';
import { PlatformClock } from '../http/platform.clock.js';
import {
  aNewPayment,
  anIncomingPayment,
  aTransaction,
  SETTINGS,
} from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import type { ObservedTransaction } from './ledger.changes.js';
import { LedgerFeed } from './ledger.feed.js';
import { Ledger } from './ledger.js';
import { MemoryStore } from './memory/memory.store.js';
import type { PaymentRecord } from './payment.js';
import type { NewPayment } from './payments.store.js';
import { TillTransactionsService } from './till-transactions.service.js';

Logger.overrideLogger(false);

const SECOND = 1_000;
const CLAIM = { limit: 100, leaseMs: 1, sendLeaseMs: 1 };

describe('money at a till whose payment may be open', () => {
  let runtime: SkippingRuntime;
  let store: MemoryStore;
  let ledger: Ledger;
  let transactions: TillTransactionsService;

  beforeEach(() => {
    runtime = new SkippingRuntime();
    store = new MemoryStore(() => runtime.now());
    const closing = new ClosingSignal(runtime);
    const clock = new PlatformClock(runtime);
    const feed = new LedgerFeed(closing);
    ledger = new Ledger(store, feed, clock, SETTINGS);
    transactions = new TillTransactionsService(ledger, store, feed, clock, SETTINGS);
  });

  let ids = 0;
  const pending = async (changes: Partial<NewPayment> = {}): Promise<PaymentRecord> => {
    const recorded = await store.recordPayment(aNewPayment(changes), { sendBeforeMs: 60 * SECOND });
    if (recorded.kind !== 'recorded') throw new Error(recorded.kind);
    const sent = await ledger.markRequested(recorded.payment, 'one', 60 * SECOND);
    ids += 1;
    const outcome = { kind: 'created', id: `platform-${ids}` } as const;
    return ledger.takeAnswer(sent as PaymentRecord, outcome);
  };

  const observed = (changes: object = {}): ObservedTransaction => ({
    via: 'webhook',
    transaction: aTransaction({
      originationTime: new Date(runtime.now()).toISOString(),
      ...changes,
    }),
    reversal: false,
    webhookEventId: null,
    announce: true,
  });

  const due = async (followed = false): Promise<string[]> =>
    (await store.claimDuePayments('default', { ...CLAIM, followed })).map(({ id }) => id);

  it('waits for the callback for three seconds, and asks nothing', async () => {
    await pending();
    for (const ageMs of [0, 400, 2_999]) {
      expect((await transactions.take(observed(), ageMs)).kind).toBe('wait');
      expect(await due()).toEqual([]);
    }
  });

  it('waits when it does not show who paid and more payments are open than can be looked through', async () => {
    const elsewhere = { tillNumber: '999999', tills: ['999999'] };
    for (let n = 0; n < 100; n += 1) await pending({ ...elsewhere, allowParallel: true });
    const masked = observed({ senderPhoneNumber: null });
    expect((await transactions.take(masked, 0)).kind).toBe('wait');
    expect((await transactions.take(observed(), 0)).kind).toBe('wait');
    expect((await transactions.take(masked, 10 * SECOND)).kind).toBe('taken');
  });

  it('waits, and asks nothing, also when it does not show who paid', async () => {
    const { id } = await pending();
    const masked = observed({ senderPhoneNumber: null });
    expect((await transactions.take(masked, 0)).kind).toBe('wait');
    expect(await due()).toEqual([]);
    expect((await transactions.take(masked, 3 * SECOND)).kind).toBe('wait');
    expect(await due()).toEqual([id]);
  });

  it('makes its payment due once, also when other money of that payer comes between', async () => {
    const { id } = await pending();
    let times = 0;
    for (const ageMs of [3_000, 4_500, 6_500]) {
      for (const reference of ['A', 'B']) {
        await transactions.take(observed({ reference }), ageMs);
        if ((await due()).length === 0) continue;
        times += 1;
        await store.schedulePayment(await ledger.payment(id), { inMs: 60 * SECOND });
      }
    }
    expect(times).toBe(2);
  });

  it('then makes its payment due once, however many webhooks report it', async () => {
    const { id } = await pending();
    expect((await transactions.take(observed(), 3 * SECOND)).kind).toBe('wait');
    expect(await due()).toEqual([id]);
    await store.schedulePayment(await ledger.payment(id), { inMs: 60 * SECOND });
    expect((await transactions.take(observed(), 5 * SECOND)).kind).toBe('wait');
    expect(await due()).toEqual([]);
  });

  it('waits no longer than ten seconds', async () => {
    await pending();
    expect(await transactions.take(observed(), 10 * SECOND)).toEqual({ kind: 'taken' });
  });

  it.each([
    ['of another payer', { senderPhoneNumber: '+254700000002' }],
    ['of another amount', { amount: '99.0' }],
    ['of another till', { tillNumber: '777777' }],
  ])('waits for nothing when it is %s', async (_, changes) => {
    await pending();
    expect(await transactions.take(observed(changes), 0)).toEqual({ kind: 'taken' });
  });

  it('finds its payment among 150 others of its price', async () => {
    for (let n = 0; n < 150; n += 1) {
      const phoneNumber = `+2547001${String(n).padStart(5, '0')}`;
      const other = aNewPayment({ subscriber: { firstName: 'J', lastName: 'D', phoneNumber } });
      await store.recordPayment(other, { sendBeforeMs: 60 * SECOND });
      const found = await ledger.payment(other.id);
      await ledger.markRequested(found, 'one', 60 * SECOND);
    }
    const { id } = await pending();
    await transactions.take(observed(), 3 * SECOND);
    expect(await due()).toEqual([id]);
  });

  it('makes at most five payments due that failed or are in review', async () => {
    const failed = anIncomingPayment('x', 'Failed', null, ['no']);
    for (let n = 0; n < 8; n += 1) {
      const { id, platformId } = await pending();
      await ledger.takeIncomingPayment(id, { ...failed, id: platformId as string }, 'callback');
    }
    expect(await due(true)).toEqual([]);
    await transactions.take(observed(), 0);
    expect(await due(true)).toHaveLength(5);
  });
});
