import { beforeEach, describe, expect, it } from '@jest/globals';
import { KnownRecords } from '../ledger/known.records.js';
import { Logger } from '@nestjs/common';
import type { NewPayment, PaymentRecord } from '../operations/payments/payment.js';
import { MemoryStore } from '../stores/memory/memory.store.js';
import {
  aLedger,
  applied,
  anIncomingPayment,
  anObservedTransaction,
  aPendingPayment,
  aRequestedPayment,
  aTransaction,
  type LedgerUnderTest,
  keyOf,
} from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import type { ObservedTransaction } from '../transactions/observed-transaction.js';
import { OwnTills } from './own.tills.js';
import { TillTransactionsService } from './till-transactions.service.js';

Logger.overrideLogger(false);

const SECOND = 1_000;
const CLAIM = { limit: 100, leaseMs: 1, sendLeaseMs: 1 };

describe('a till transaction that may belong to an open payment', () => {
  let runtime: SkippingRuntime;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let transactions: TillTransactionsService;

  beforeEach(() => {
    runtime = new SkippingRuntime();
    store = new MemoryStore(() => runtime.now());
    under = aLedger(store, {}, runtime);
    const { tills, signals, clocks, accounts } = under;
    transactions = new TillTransactionsService(
      tills,
      store.transactions,
      store.operations,
      new KnownRecords(runtime),
      signals,
      clocks,
      new OwnTills(accounts, store.accounts),
      accounts,
    );
  });

  let ids = 0;
  const pending = async (changes: Partial<NewPayment> = {}): Promise<PaymentRecord> => {
    ids += 1;
    return aPendingPayment(under, `platform-${ids}`, changes);
  };

  const observed = (changes: object = {}): ObservedTransaction =>
    anObservedTransaction(
      aTransaction({ originationTime: new Date(runtime.now()).toISOString(), ...changes }),
    );

  const due = async (followed = false): Promise<string[]> =>
    (await store.operations.claimDue(['default'], { ...CLAIM, followed })).map(({ id }) => id);

  it('waits for the callback for three seconds, without a request to the platform', async () => {
    await pending();
    for (const ageMs of [0, 400, 2_999]) {
      expect((await transactions.observe(observed(), ageMs)).kind).toBe('wait');
      expect(await due()).toEqual([]);
    }
  });

  it('waits when it does not show who paid and more payments are open than are compared', async () => {
    const elsewhere = { tillNumber: '999999', tills: ['999999'] };
    for (let n = 0; n < 100; n += 1) await pending({ ...elsewhere, allowParallel: true });
    const masked = observed({ senderPhoneNumber: null });
    expect((await transactions.observe(masked, 0)).kind).toBe('wait');
    expect((await transactions.observe(observed(), 0)).kind).toBe('wait');
    expect((await transactions.observe(masked, 10 * SECOND)).kind).toBe('applied');
  });

  it('waits without a request to the platform when it does not show who paid', async () => {
    const { id } = await pending();
    const masked = observed({ senderPhoneNumber: null });
    expect((await transactions.observe(masked, 0)).kind).toBe('wait');
    expect(await due()).toEqual([]);
    expect((await transactions.observe(masked, 3 * SECOND)).kind).toBe('wait');
    expect(await due()).toEqual([id]);
  });

  it('makes its payment due once, even if another transaction of that payer comes between', async () => {
    const { id } = await pending();
    let times = 0;
    for (const ageMs of [3_000, 4_500, 6_500]) {
      for (const reference of ['A', 'B']) {
        await transactions.observe(observed({ reference }), ageMs);
        if ((await due()).length === 0) continue;
        times += 1;
        await store.operations.schedule(await under.ledger.find(keyOf(id)), { inMs: 60 * SECOND });
      }
    }
    expect(times).toBe(2);
  });

  it('makes its payment due once after three seconds, even if several webhooks report it', async () => {
    const { id } = await pending();
    expect((await transactions.observe(observed(), 3 * SECOND)).kind).toBe('wait');
    expect(await due()).toEqual([id]);
    await store.operations.schedule(await under.ledger.find(keyOf(id)), { inMs: 60 * SECOND });
    expect((await transactions.observe(observed(), 5 * SECOND)).kind).toBe('wait');
    expect(await due()).toEqual([]);
  });

  it('waits at most ten seconds', async () => {
    await pending();
    expect(await transactions.observe(observed(), 10 * SECOND)).toMatchObject({ kind: 'applied' });
  });

  it.each([
    ['of another payer', { senderPhoneNumber: '+254700000002' }],
    ['of another amount', { amount: '99.0' }],
    ['of another till', { tillNumber: '777777' }],
  ])('does not wait when it is %s', async (_, changes) => {
    await pending();
    expect(await transactions.observe(observed(changes), 0)).toMatchObject({ kind: 'applied' });
  });

  it('finds its payment among 150 others of the same amount', async () => {
    for (let n = 0; n < 150; n += 1) {
      const phoneNumber = `+2547001${String(n).padStart(5, '0')}`;
      await aRequestedPayment(under, {
        subscriber: { firstName: 'J', lastName: 'D', phoneNumber },
      });
    }
    const { id } = await pending();
    await transactions.observe(observed(), 3 * SECOND);
    expect(await due()).toEqual([id]);
  });

  it('makes at most five payments due that failed or are in review', async () => {
    const failed = anIncomingPayment('x', 'Failed', null, ['no']);
    for (let n = 0; n < 8; n += 1) {
      const { id, platformId } = await pending();
      await applied(under, keyOf(id), { ...failed, id: platformId as string }, 'callback');
    }
    expect(await due(true)).toEqual([]);
    await transactions.observe(observed(), 0);
    expect(await due(true)).toHaveLength(5);
  });
});
