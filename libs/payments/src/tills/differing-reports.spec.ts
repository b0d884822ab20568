import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Transaction } from '../money/transaction.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  anIncomingPayment,
  anObservedTransaction,
  anomaliesIn,
  applied,
  aRequestedPayment,
  aSuccess,
  aTransaction,
  keyOf,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';
import { MoneyOut } from '../testing/money-out.fixture.js';

Logger.overrideLogger(false);

const DECISION = { by: 'ops', note: 'seen' } as const;

let store: MemoryStore;
let under: LedgerUnderTest;
let id: string;

beforeEach(async () => {
  store = new MemoryStore();
  under = aLedger(store);
  ({ id } = await aRequestedPayment(under));
});

const payment = () => under.ledger.find(keyOf(id));
const result = (changes: Partial<Transaction> = {}) =>
  applied(
    under,
    keyOf(id),
    aSuccess('p', aTransaction({ provenance: 'operation', ...changes })),
    'callback',
  );
const tillSays = (changes: Partial<Transaction> = {}) =>
  under.tills.observe(anObservedTransaction(aTransaction({ provenance: 'till', ...changes })));
const events = async () =>
  (await store.events.list('default', id)).map(({ name }) => name).toSorted();
const movements = async (name: string): Promise<string[]> => {
  const boundaries = [new Date('2026-01-01'), new Date('2027-01-01')];
  const totals = await store.totals.read('default', { measures: ['movement'], boundaries });
  return totals
    .filter((total) => total.name === name)
    .map(({ count, minor, currency }) => `${count} of ${minor} ${currency}`);
};

describe('Two reports of one money that differ', () => {
  it.each([
    ['their amounts', { amount: '1.00' }],
    ['their currencies', { currency: 'UGX' }],
  ])(
    'in %s send the payment to review when the till reports the money first',
    async (_, changes) => {
      await tillSays(changes);
      await result();
      expect(await payment()).toMatchObject({ state: 'needs_review', cause: 'reports_differ' });
      expect((await payment()).causeDetail).toMatch(/with \S+ \S+, and with 100\.0+ KES/);
      expect(await events()).toEqual(['payment.needs_review']);
    },
  );

  it.each([
    ['their amounts', { amount: '1.00' }],
    ['their currencies', { currency: 'UGX' }],
  ])(
    'in %s leave the payment succeeded and ask a person once when its own result comes first',
    async (_, changes) => {
      await result();
      for (let repeat = 0; repeat < 3; repeat += 1) await tillSays(changes);
      expect(await payment()).toMatchObject({ state: 'succeeded', cause: 'reports_differ' });
      expect(await events()).toEqual(['payment.needs_review', 'payment.succeeded']);
      expect(await movements('received')).toEqual(['1 of 10000 KES']);
      await under.ledger.resolve(keyOf(id), { ...DECISION, state: 'succeeded' });
      await tillSays(changes);
      expect(await payment()).toMatchObject({ state: 'succeeded', cause: null });
      expect(await events()).toEqual(['payment.needs_review', 'payment.succeeded']);
    },
  );

  it('ask a person when a later read of the payment shows another amount than its own first result', async () => {
    await result();
    await applied(under, keyOf(id), aSuccess('p', aTransaction({ amount: '1.00' })), 'status');
    expect(await payment()).toMatchObject({ state: 'succeeded', cause: 'reports_differ' });
  });

  it('ask a person when the own result shows another amount than the till, whichever was asked for', async () => {
    await tillSays();
    await applied(under, keyOf(id), aSuccess('p', aTransaction({ amount: '1.00' })), 'callback');
    expect(await payment()).toMatchObject({ state: 'needs_review', cause: 'reports_differ' });
  });

  it('in their tills ask a person where one of them is the own result of the payment', async () => {
    await result();
    await tillSays({ tillNumber: 'K000123' });
    expect(await payment()).toMatchObject({ state: 'succeeded', cause: 'reports_differ' });
    expect((await payment()).causeDetail).toContain('PAYMENTS_TILL_ALIASES=K000123=514459');
    const other = await aRequestedPayment(under, { idempotencyKey: 'other' });
    await tillSays({ tillNumber: 'K000123', reference: 'TWO' });
    const shown = aSuccess('q', aTransaction({ provenance: 'operation', reference: 'TWO' }));
    await applied(under, keyOf(other.id), shown, 'callback');
    expect(await under.ledger.find(keyOf(other.id))).toMatchObject({
      state: 'needs_review',
      cause: 'reports_differ',
    });
  });

  it.each([
    ['no amount', { amount: null }],
    ['no currency', { currency: null }],
    ['the same amount in another form', { amount: '100.0' }],
  ])('ask nobody when one of them has %s', async (_, changes) => {
    await result();
    await tillSays(changes);
    expect(await payment()).toMatchObject({ state: 'succeeded', cause: null });
    expect(await events()).toEqual(['payment.succeeded']);
  });
});

describe('A reference that is used again', () => {
  it.each([
    ['another payer', { senderPhoneNumber: '+254700000009' }],
    ['a time 300 days later', { originationTime: '2026-11-20T10:00:00+03:00' }],
  ])('with %s is an anomaly that shows both, and changes nothing', async (_, changes) => {
    await result();
    await tillSays({ amount: '1.00', ...changes });
    expect(await anomaliesIn(store)).toEqual([
      expect.stringMatching(/^reference_used_again: 100\.\d+ KES at .*, then 1\.00 KES at /),
    ]);
    expect((await anomaliesIn(store)).join()).not.toMatch(/700000\d\d\d/);
    expect(await payment()).toMatchObject({ state: 'succeeded', cause: null });
  });

  it('is an anomaly also where only the reversal of the first money was reported', async () => {
    await tillSays({ status: 'Reversed' });
    await tillSays({ senderPhoneNumber: '+254700000009' });
    expect((await anomaliesIn(store)).join()).toContain('used_again');
  });

  it('is not assumed where a reversal is of a later time than its money', async () => {
    await tillSays({ status: 'Reversed', originationTime: '2026-11-20T10:00:00+03:00' });
    await tillSays();
    expect((await anomaliesIn(store)).join()).not.toContain('used_again');
  });

  it('is not assumed where a payer or a time cannot be read', async () => {
    await result();
    await tillSays({ senderPhoneNumber: null, hashedSenderPhone: null, originationTime: null });
    expect((await anomaliesIn(store)).join()).not.toContain('used_again');
  });
});

describe('A reversal', () => {
  const reversed = (changes: Partial<Transaction> = {}) =>
    tillSays({ status: 'Reversed', ...changes });
  const raw = (amount: unknown) => ({ raw: { amount } });

  it.each([
    ['of the same amount', {}],
    ['of the same amount in another form', { amount: '100.00' }],
    ['without an amount', { amount: null, currency: null, raw: {} }],
    ['without a currency', { currency: null }],
  ])('%s reverses the payment', async (_, changes) => {
    await result();
    await reversed(changes);
    expect(await payment()).toMatchObject({ state: 'reversed' });
    expect(await movements('reversed')).toEqual(['1 of 10000 KES']);
  });

  it.each([
    ['of a part', { amount: '40.00' }, '1 of 4000 KES'],
    ['of more', { amount: '140.00' }, '1 of 14000 KES'],
    ['of a negative amount', { amount: null, ...raw('-100.00') }, '1 of 0 KES'],
    ['of an amount that cannot be read', { amount: null, ...raw('100,0') }, '1 of 0 KES'],
    ['in another currency', { currency: 'UGX' }, '1 of 100 UGX'],
  ])('%s asks a person, and the books count what was said, once', async (_, changes, counted) => {
    await result();
    for (let repeat = 0; repeat < 3; repeat += 1) await reversed(changes);
    expect(await payment()).toMatchObject({ state: 'succeeded', cause: 'other_amount_reversed' });
    expect(await events()).toEqual(['payment.needs_review', 'payment.succeeded']);
    expect(await movements('reversed')).toEqual([counted]);
  });

  it('of a part before the success is known sends the payment to review', async () => {
    await reversed({ amount: '40.00' });
    await result();
    expect(await payment()).toMatchObject({
      state: 'needs_review',
      cause: 'other_amount_reversed',
    });
    await under.ledger.resolve(keyOf(id), { ...DECISION, state: 'succeeded' });
    expect(await payment()).toMatchObject({ state: 'succeeded' });
  });

  it.each([
    ['before its till reports the money', false],
    ['after its till has reported the money', true],
  ])(
    'of a part that the own result shows %s asks a person about that part',
    async (_, isReported) => {
      if (isReported) await tillSays();
      await result({ status: 'Reversed', amount: '40.00' });
      expect(await payment()).toMatchObject({
        state: 'needs_review',
        cause: 'other_amount_reversed',
        causeDetail: expect.stringMatching(/100\.0+ KES, and a reversal of 40\.00 KES/),
      });
      expect(await events()).toEqual(['payment.needs_review']);
      await under.ledger.resolve(keyOf(id), { ...DECISION, state: 'succeeded' });
      expect(await payment()).toMatchObject({
        state: 'succeeded',
        transaction: { amount: expect.stringMatching(/^100\.0+$/) },
      });
      expect(await events()).toEqual(['payment.needs_review', 'payment.succeeded']);
    },
  );

  it('of all the money in the own result is never a success, also where the money was of another amount', async () => {
    await tillSays({ amount: '99.00' });
    await result({ status: 'Reversed', amount: '99.00' });
    expect(await payment()).toMatchObject({ state: 'needs_review', cause: 'reversed' });
  });

  it.each([
    ['a part', { amount: '40.00' }],
    ['an amount that cannot be read', { amount: null, raw: { amount: '100,00' } }],
    ['a negative amount', { amount: null, raw: { amount: '-100.0' } }],
  ])(
    'of all the money, after a report of %s, reverses the payment, and all the money is counted',
    async (_, first) => {
      await result();
      await reversed(first);
      expect(await payment()).toMatchObject({ state: 'succeeded', cause: 'other_amount_reversed' });
      await reversed();
      expect(await payment()).toMatchObject({ state: 'reversed' });
      expect(await movements('reversed')).toEqual(['1 of 10000 KES']);
      expect(await events()).toContain('payment.reversed');
    },
  );

  it('of what was asked for reverses the payment, also where the amount that came cannot be read', async () => {
    await result({ provenance: 'request' });
    await tillSays({ amount: null, raw: { amount: '100,00' } });
    await reversed();
    expect(await payment()).toMatchObject({ state: 'reversed' });
  });

  it('of a second part asks a person again, and the rest is not refunded, because nobody knows how much that is', async () => {
    const money = new MoneyOut();
    const paymentId = await money.paidPayment();
    for (const amount of ['40.00', '60.00', '60.0'])
      await money.receives({ status: 'Reversed', amount });
    const refund = money.refunds.request({ idempotencyKey: 'rest', paymentId, why: 'the rest' });
    await expect(refund).rejects.toMatchObject({ reason: 'sent_back' });
    expect(money.sent).toEqual([]);
    const emitted = (await money.store.events.list('default', paymentId)).map(({ name }) => name);
    expect(emitted).toEqual(['payment.succeeded', 'payment.needs_review', 'payment.needs_review']);
    money.close();
  });

  it.each(['before', 'after'] as const)(
    'of a part and our refund of the rest reverse the payment, when the till reports the rest %s the refund has succeeded',
    async (when) => {
      const money = new MoneyOut();
      ({ store } = money);
      const paymentId = await money.paidPayment();
      await money.receives();
      await money.receives({ status: 'Reversed', amount: '40.00' });
      const rest = { status: 'Reversed', amount: '60.00' };
      const { id: refundId } = await money.refunds.request({
        idempotencyKey: 'rest',
        paymentId,
        why: 'the rest',
      });
      if (when === 'before') await money.receives(rest);
      await money.showsRefund(refundId, {
        reversal_bulk_payment: { status: 'Transferred', amount: '60.0' },
      });
      if (when === 'after') await money.receives(rest);
      expect(await money.refunds.find(refundId)).toMatchObject({ state: 'succeeded' });
      expect(await money.under.ledger.find(keyOf(paymentId))).toMatchObject({ state: 'reversed' });
      expect(await movements('reversed')).toEqual(['1 of 10000 KES']);
      money.close();
    },
  );

  it('of a part leaves the rest, which can be refunded', async () => {
    const money = new MoneyOut();
    const paymentId = await money.paidPayment();
    await money.receives({ status: 'Reversed', amount: '40.00' });
    const refund = await money.refunds.request({
      idempotencyKey: 'rest',
      paymentId,
      why: 'the rest',
    });
    expect(refund).toMatchObject({ state: 'pending', amount: { currency: 'KES', value: '60.00' } });
    money.close();
  });
});

it('A payment that failed stays failed when two reports of its money differ', async () => {
  await applied(
    under,
    keyOf(id),
    anIncomingPayment('p', 'Failed', null, ['cancelled']),
    'callback',
  );
  await tillSays();
  await tillSays({ amount: '1.00' });
  expect(await payment()).toMatchObject({ state: 'failed' });
});
