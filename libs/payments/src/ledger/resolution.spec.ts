import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { PaymentRecord } from '../operations/payments/payment.js';
import type { Transaction } from '../money/transaction.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  applied,
  anIncomingPayment,
  anObservedTransaction,
  anomaliesIn,
  aRequestedPayment,
  aSuccess,
  aTransaction,
  claimCalls,
  completeCalls,
  listen,
  type LedgerUnderTest,
  keyOf,
} from '../testing/ledger.fixture.js';
import type { OperationChange } from './operation-changes.js';
import { resolutionChange, type Resolution } from './resolution.js';

Logger.overrideLogger(false);

const DECISION = { state: 'succeeded', by: 'ops', note: 'seen' } as const;

describe("a person's decision", () => {
  let store: MemoryStore;
  let under: LedgerUnderTest;

  beforeEach(() => {
    store = new MemoryStore();
    under = aLedger(store);
  });

  /** Returns a payment in review: without an outcome, or with contradictory evidence. */
  const inReview = async (shown?: Transaction): Promise<PaymentRecord> => {
    const { id } = await aRequestedPayment(under);
    return shown
      ? applied(under, keyOf(id), aSuccess(id, shown), 'callback')
      : under.ledger.review(keyOf(id), 'no_evidence', 'late');
  };

  it('is refused when the payment has been settled meanwhile', async () => {
    const { id } = await aRequestedPayment(under);
    await applied(under, keyOf(id), aSuccess('platform-1'), 'callback');
    await expect(under.ledger.resolve(keyOf(id), { ...DECISION, state: 'failed' })).rejects.toThrow(
      /it is succeeded, and no decision is open/,
    );
  });

  describe('on a payment that was paid and is contradicted', () => {
    let id: string;
    const said = anIncomingPayment('platform-1', 'Success', aTransaction({ reference: 'TWO' }), []);

    beforeEach(async () => {
      ({ id } = await aRequestedPayment(under));
      await applied(under, keyOf(id), aSuccess('platform-1'), 'callback');
      await applied(under, keyOf(id), said, 'status');
    });

    it('as succeeded closes the review, which the same evidence does not open again', async () => {
      expect(await under.ledger.find(keyOf(id))).toMatchObject({
        state: 'succeeded',
        cause: 'second_transaction',
      });
      await listen(store, 'payment.succeeded', 'payment.needs_review');
      const closed = { state: 'succeeded', cause: null, decided: true } as const;
      expect(await under.ledger.resolve(keyOf(id), DECISION)).toMatchObject(closed);
      expect(await applied(under, keyOf(id), said, 'callback')).toMatchObject(closed);
      expect(await claimCalls(store)).toEqual([]);
      const details = (await store.operations.history('default', id)).map(({ detail }) => detail);
      expect(details).toContain('review closed as succeeded by ops: seen');
      await expect(under.ledger.resolve(keyOf(id), DECISION)).rejects.toThrow(
        /no decision is open/,
      );
    });

    it('cannot be failed, and names no other transaction', async () => {
      const resolve = (changes: Partial<Resolution>) =>
        under.ledger.resolve(keyOf(id), { ...DECISION, ...changes });
      await expect(resolve({ state: 'failed' })).rejects.toThrow(/does not become failed/);
      await expect(resolve({ reference: 'TWO' })).rejects.toThrow(/was paid by transaction ONE/);
    });

    it('as reversed needs the reversal that the platform reported', async () => {
      await expect(
        under.ledger.resolve(keyOf(id), { ...DECISION, state: 'reversed' }),
      ).rejects.toThrow(/revers/);
    });
  });

  it('for succeeded is refused when no transaction is known', async () => {
    const { id } = await inReview();
    await expect(under.ledger.resolve(keyOf(id), DECISION)).rejects.toThrow(/give the reference/);
  });

  it('for succeeded uses the transaction that the payment already has', async () => {
    const { id } = await inReview(aTransaction({ amount: '90' }));
    expect(await under.ledger.resolve(keyOf(id), DECISION)).toMatchObject({
      state: 'succeeded',
      decided: true,
      transaction: { amount: '90' },
    });
  });

  it('for succeeded emits the requested amount when the platform shows none that can be read', async () => {
    await listen(store, 'payment.succeeded');
    const { id } = await inReview(aTransaction({ amount: null, currency: null }));
    await under.ledger.resolve(keyOf(id), DECISION);
    const [call] = await claimCalls(store);
    const { amount } = await under.ledger.find(keyOf(id));
    expect(call).toMatchObject({
      payload: { transaction: { amount: amount.value, currency: amount.currency } },
    });
  });

  it('for succeeded with money that has only an id names that id, and its reversal reverses the payment', async () => {
    await listen(store, 'payment.succeeded', 'payment.reversed');
    const unnamed = aTransaction({ reference: null, id: 't1' });
    await under.tills.observe(anObservedTransaction(unnamed));
    const { id } = await inReview();
    await under.ledger.resolve(keyOf(id), { ...DECISION, reference: 'id:t1' });
    await under.tills.observe(anObservedTransaction({ ...unnamed, status: 'Reversed' }));
    const calls = await completeCalls(store);
    expect(calls.map(({ event, payload }) => [event, payload])).toMatchObject([
      ['payment.succeeded', { transaction: { reference: 'id:t1' } }],
      ['payment.reversed', { transaction: { reference: 'id:t1' } }],
    ]);
  });

  it('is refused when another person has just named the same reference for another payment', async () => {
    const one = await inReview();
    const other = await inReview();
    const named = { ...DECISION, reference: 'PAPER' };
    const results = await Promise.allSettled(
      [one, other].map(({ id }) => under.ledger.resolve(keyOf(id), named)),
    );
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const owner = results[0]?.status === 'fulfilled' ? one : other;
    const refused = results.find((result) => result.status === 'rejected');
    expect(String(refused?.reason)).toContain(`belongs to payment ${owner.id}`);
  });

  it('stays when a read shows the same transaction, and goes to review when a read shows another one', async () => {
    const { ledger } = under;
    const { id } = await aRequestedPayment(under);
    const same = aSuccess('p', aTransaction({ amount: '90' }));
    await applied(under, keyOf(id), same, 'callback');
    await ledger.resolve(keyOf(id), { ...DECISION, state: 'failed' });
    expect(await applied(under, keyOf(id), same, 'status')).toMatchObject({ state: 'failed' });
    const other = aSuccess('p', aTransaction({ reference: 'TWO' }));
    expect(await applied(under, keyOf(id), other, 'status')).toMatchObject({
      state: 'needs_review',
      cause: 'paid_after_failure',
    });
  });

  it('with a reference that the platform has not shown assigns only that reference', async () => {
    await listen(store, 'till.transaction.received');
    const { id } = await inReview();
    await under.ledger.resolve(keyOf(id), { ...DECISION, reference: 'ONE' });
    await under.tills.observe(anObservedTransaction(aTransaction({ amount: '5.00' })));
    const [call] = await claimCalls(store);
    expect(call).toMatchObject({
      payload: { paymentId: id, transaction: { amount: '5.00' } },
    });
    expect(await anomaliesIn(store)).toEqual(['transaction reported with another amount']);
  });

  it('with a reference that another payment has at another till is refused', async () => {
    const owner = await aRequestedPayment(under);
    const elsewhere = aTransaction({ tillNumber: '999' });
    await applied(under, owner, aSuccess('p', elsewhere), 'callback');
    const { id } = await inReview();
    await expect(
      under.ledger.resolve(keyOf(id), { ...DECISION, reference: 'ONE' }),
    ).rejects.toThrow(`belongs to payment ${owner.id}`);
  });

  describe('after a reversal during the review', () => {
    let id: string;

    beforeEach(async () => {
      const wrong = aTransaction({ amount: '90' });
      id = (await inReview(wrong)).id;
      await under.tills.observe(anObservedTransaction({ ...wrong, status: 'Reversed' }));
    });

    it('is refused for succeeded', async () => {
      await expect(under.ledger.resolve(keyOf(id), DECISION)).rejects.toThrow(
        /transaction ONE was reversed: resolve it as reversed, or as failed/,
      );
    });

    it.each(['reversed', 'failed'] as const)(
      'can be %s, and emits only that event',
      async (state) => {
        await listen(store, 'payment.succeeded', 'payment.reversed', 'payment.failed');
        expect(await under.ledger.resolve(keyOf(id), { ...DECISION, state })).toMatchObject({
          state,
        });
        const calls = await claimCalls(store);
        expect(calls.map(({ event }) => event)).toEqual([`payment.${state}`]);
      },
    );
  });

  it.each(['callback', 'status'] as const)(
    'for succeeded is refused after a reversal whose only source is %s',
    async (via) => {
      const { id } = await aRequestedPayment(under);
      const wrong = aTransaction({ amount: '90' });
      await applied(under, keyOf(id), aSuccess('p', wrong), 'callback');
      const back = aSuccess('p', { ...wrong, status: 'Reversed' });
      await applied(under, keyOf(id), back, via);
      await expect(under.ledger.resolve(keyOf(id), DECISION)).rejects.toThrow(/was reversed/);
    },
  );

  it('for reversed is refused when the platform has reported no reversal', async () => {
    const { id } = await inReview();
    await expect(
      under.ledger.resolve(keyOf(id), { ...DECISION, state: 'reversed', reference: 'ONE' }),
    ).rejects.toThrow(/has reported no reversal of transaction ONE/);
  });

  describe('uses', () => {
    const changeBy = (
      payment: PaymentRecord,
      changes: Partial<Resolution> = {},
    ): Promise<OperationChange> =>
      resolutionChange(payment, { ...DECISION, ...changes }, store.transactions, {});

    it('no transaction when it is failed', async () => {
      const payment = await inReview(aTransaction({ amount: '90' }));
      const change = await changeBy(payment, { state: 'failed' });
      expect(change).toMatchObject({ set: { state: 'failed' } });
      expect(change).not.toHaveProperty('tie');
    });

    it('the transaction that the payment has', async () => {
      const payment = await inReview(aTransaction({ amount: '90' }));
      expect(await changeBy(payment)).toMatchObject({ tie: { amount: '90', provenance: 'till' } });
    });

    it('the transaction that the payment has, even if the store has no received transaction of it', async () => {
      const payment = await inReview(aTransaction({ amount: '90', tillNumber: '000123' }));
      expect(await changeBy(payment, { reference: ' ONE ' })).toMatchObject({
        tie: { amount: '90', tillNumber: '000123' },
      });
    });

    it('the transaction that the till received with the reference', async () => {
      const payment = await inReview();
      const money = aTransaction({ reference: 'TWO', amount: '99' });
      await under.tills.observe(anObservedTransaction(money));
      expect(await changeBy(payment, { reference: 'TWO' })).toMatchObject({
        tie: { reference: 'TWO', amount: '99', provenance: 'till' },
      });
    });

    it('the requested amount and till when the platform never reported the reference', async () => {
      const payment = await inReview();
      expect(await changeBy(payment, { reference: 'PAPER' })).toMatchObject({
        tie: { reference: 'PAPER', amount: '100.00', tillNumber: '514459', provenance: 'request' },
        record: null,
      });
    });

    it('the requested amount also when the payment has another transaction', async () => {
      const payment = await inReview(aTransaction({ amount: '90' }));
      expect(await changeBy(payment, { reference: 'PAPER' })).toMatchObject({
        tie: { reference: 'PAPER', amount: '100.00', provenance: 'request' },
      });
    });

    it.each([undefined, '', '  '])(
      'nothing, and is refused, when the reference is %p',
      async (reference) => {
        const payment = await inReview();
        await expect(
          changeBy(payment, { ...(reference !== undefined && { reference }) }),
        ).rejects.toThrow(/give the reference/);
      },
    );

    it('no transaction of another payment, and the error names that payment', async () => {
      const owner = await aRequestedPayment(under);
      await applied(under, owner, aSuccess('platform-1'), 'callback');
      const payment = await inReview();
      await expect(changeBy(payment, { reference: 'ONE' })).rejects.toThrow(
        `belongs to payment ${owner.id}`,
      );
    });
  });
});
