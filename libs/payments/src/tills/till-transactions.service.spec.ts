import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { NewPayment, PaymentRecord } from '../operations/payments/payment.js';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  applied,
  anIncomingPayment,
  anObservedTransaction,
  aPendingPayment,
  aRequestedPayment,
  aSuccess,
  aTransaction,
  type LedgerUnderTest,
  keyOf,
  tillTransactionsOf,
} from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import type { ObservedTransaction } from '../ledger/arriving-delivery.js';
import type { TillTransactionsService } from './till-transactions.service.js';

Logger.overrideLogger(false);

const SECOND = 1_000;
const CLAIM = { limit: 100, leaseMs: 1, sendLeaseMs: 1 };

const opened = (settings: Partial<PaymentsSettings> = {}) => {
  const runtime = new SkippingRuntime();
  const store = new MemoryStore(() => runtime.now());
  const under = aLedger(store, settings, runtime);
  const transactions = tillTransactionsOf(under);
  return { runtime, store, under, transactions };
};

describe('a reference that is reported at ever more tills', () => {
  it('has at most twenty sums: a further one is kept under no name, and a known one goes on', async () => {
    const { transactions, store } = opened();
    const at = (till: number): ReturnType<typeof transactions.observe> =>
      transactions.observe(anObservedTransaction(aTransaction({ tillNumber: `${till}` })), 0);
    const outcomes: string[] = [];
    for (let till = 1; till <= 30; till += 1) outcomes.push((await at(till)).kind);
    expect(outcomes.filter((kind) => kind === 'unnamed')).toHaveLength(10);
    expect((await store.transactions.find('default', 'ONE'))?.sums).toHaveLength(20);
    expect((await at(1)).kind).toBe('applied');
  });

  it('keeps the ids of at most twenty of the webhooks that report it', async () => {
    const { transactions, store } = opened();
    for (let id = 1; id <= 30; id += 1)
      await transactions.observe(
        { ...anObservedTransaction(aTransaction()), webhookEventId: `w${id}` },
        0,
      );
    const [sum] = (await store.transactions.find('default', 'ONE'))!.sums;
    expect(sum?.webhookEventIds).toHaveLength(20);
  });
});

describe('a till transaction that may belong to an open payment', () => {
  let runtime: SkippingRuntime;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let transactions: TillTransactionsService;

  const open = (settings: Partial<PaymentsSettings> = {}): void => {
    ({ runtime, store, under, transactions } = opened(settings));
  };
  beforeEach(() => open());

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
    for (let n = 0; n < 100; n += 1) await pending(elsewhere);
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

  it.each([
    ['no_evidence', 'wait'],
    ['ambiguous', 'wait'],
  ] as const)(
    'waits for a payment in review for the cause %s, which a read may settle',
    async (cause, kind) => {
      const payment = await pending();
      await under.ledger.review(payment, cause, 'for a test');
      expect((await transactions.observe(observed(), 3 * SECOND)).kind).toBe(kind);
      expect(await due(true)).toEqual([payment.id]);
    },
  );

  it('makes its payment due once after three seconds, even if several webhooks report it', async () => {
    const { id } = await pending();
    expect((await transactions.observe(observed(), 3 * SECOND)).kind).toBe('wait');
    expect(await due()).toEqual([id]);
    await store.operations.schedule(await under.ledger.find(keyOf(id)), { inMs: 60 * SECOND });
    expect((await transactions.observe(observed(), 5 * SECOND)).kind).toBe('wait');
    expect(await due()).toEqual([]);
  });

  it.each([
    ['45 minutes ago', -45],
    ['an hour ahead', 60],
    ['a day ahead', 24 * 60],
  ])('waits for an open payment although its own time is %s', async (_, minutes) => {
    const { id } = await pending();
    const originationTime = new Date(runtime.now() + minutes * 60 * SECOND).toISOString();
    const odd = observed({ originationTime });
    expect((await transactions.observe(odd, 0)).kind).toBe('wait');
    expect((await transactions.observe(odd, 3 * SECOND)).kind).toBe('wait');
    expect(await due()).toEqual([id]);
  });

  it('waits for no payment of another payer or till, or that has settled, when its time is odd', async () => {
    await pending({ tills: ['999999'] });
    const { id } = await pending();
    const failed = anIncomingPayment(`platform-${ids}`, 'Failed', null, ['no']);
    await applied(under, keyOf(id), failed, 'callback');
    const originationTime = new Date(runtime.now() + 3_600 * SECOND).toISOString();
    expect((await transactions.observe(observed({ originationTime }), 0)).kind).toBe('applied');
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

  describe('concerns an account', () => {
    const concerns = (changes: object = {}): Promise<boolean> =>
      transactions.concerns('default', observed(changes).transaction);
    /** The till of payments from before the account had other tills. */
    const former = { tillNumber: '000999' };

    beforeEach(() => open({ tills: ['514459'] }));

    it('when its till is one of the account', async () => {
      expect(await concerns()).toBe(true);
    });

    it('when it has no reference, because nothing can be known of it then', async () => {
      expect(await concerns({ ...former, reference: null, id: null })).toBe(true);
    });

    it('not when it is at another till and nothing of the account has it', async () => {
      expect(await concerns(former)).toBe(false);
    });

    it('when it may belong to an open payment at that till', async () => {
      await pending({ ...former, tills: [former.tillNumber] });
      expect(await concerns(former)).toBe(true);
    });

    it('when it belongs to a payment at that till that has succeeded', async () => {
      const { id } = await pending({ ...former, tills: [former.tillNumber] });
      const money = aTransaction(former);
      await applied(under, keyOf(id), aSuccess(`platform-${ids}`, money), 'callback');
      expect(await concerns(former)).toBe(true);
      expect(await concerns({ ...former, reference: 'ANOTHER' })).toBe(false);
    });

    it('not when the transaction of another till with its reference has no owner', async () => {
      await under.tills.observe(anObservedTransaction(aTransaction(former)));
      expect(await concerns(former)).toBe(false);
    });
  });
});
