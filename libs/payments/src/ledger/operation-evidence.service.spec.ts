import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  applied,
  anIncomingPayment,
  anObservedTransaction,
  aRequestedPayment,
  aSuccess,
  aTransaction,
  claimCalls,
  completeCalls,
  listen,
  type LedgerUnderTest,
  keyOf,
} from '../testing/ledger.fixture.js';

Logger.overrideLogger(false);

describe('evidence about a payment', () => {
  let store: MemoryStore;
  let under: LedgerUnderTest;

  beforeEach(() => {
    store = new MemoryStore();
    under = aLedger(store);
  });

  const reviews = async (id: string): Promise<number> =>
    (await store.events.list('default', id)).filter(({ name }) => name === 'payment.needs_review')
      .length;

  describe('that contradicts it', () => {
    it.each([
      ['Success', ['A later step failed']],
      ['Failed', []],
    ])(
      'with the status %s emits a review event for each transaction that it shows',
      async (status, errors) => {
        await listen(store, 'payment.needs_review');
        const { id } = await aRequestedPayment(under);
        for (const reference of ['ONE', 'TWO', 'TWO']) {
          const shown = anIncomingPayment('p', status, aTransaction({ reference }), errors);
          await applied(under, keyOf(id), shown, 'callback');
        }
        const [first] = await claimCalls(store);
        await store.events.finishCall({ ...first!, account: 'default' }, { kind: 'done' });
        const [second] = await claimCalls(store);
        expect(second).toMatchObject({ event: 'payment.needs_review' });
        expect((await under.ledger.find(keyOf(id))).causeDetail).toMatch(/ONE.*TWO/s);
      },
    );

    it('changes the payment once for each contradiction, even if each arrives several times', async () => {
      const { ledger } = under;
      const { id } = await aRequestedPayment(under);
      const before = await applied(under, keyOf(id), aSuccess('p'), 'callback');
      for (let round = 0; round < 2; round += 1) {
        for (let n = 0; n < 60; n += 1) {
          const other = aSuccess('p', aTransaction({ reference: `OTHER${n}` }));
          await applied(under, keyOf(id), other, 'callback');
        }
        const { version, causeDetail } = await ledger.find(keyOf(id));
        expect(causeDetail?.length).toBeLessThanOrEqual(2_000);
        expect(version).toBe(before.version + 60);
      }
      const { version } = await ledger.find(keyOf(id));
      const known = aSuccess('p', aTransaction({ reference: 'OTHER1' }));
      await applied(under, keyOf(id), known, 'callback');
      expect((await ledger.find(keyOf(id))).version).toBe(version);
    });

    it('emits a review event once for each cause and transaction, not once for each cause', async () => {
      await listen(store, 'payment.needs_review');
      const { id } = await aRequestedPayment(under);
      for (const reference of ['ONE', 'TWO', 'ONE']) {
        const wrong = aSuccess('p', aTransaction({ reference, amount: '90' }));
        await applied(under, keyOf(id), wrong, 'callback');
      }
      expect(await completeCalls(store)).toHaveLength(2);
    });

    it('emits a second review event about another transaction, even if that has an id and no reference', async () => {
      const { id } = await aRequestedPayment(under);
      for (const money of ['t1', 't2']) {
        const shown = aTransaction({ id: money, reference: null });
        await applied(under, keyOf(id), anIncomingPayment('p', 'Failed', shown), 'callback');
      }
      expect(await reviews(id)).toBe(2);
    });

    it('emits a review event for each contradiction, and keeps the text of those that fit in 2,000 characters', async () => {
      const { id } = await aRequestedPayment(under);
      for (let n = 0; n < 10; n += 1) {
        const shown = aTransaction({ id: `t${n}`, reference: `R${n}` });
        const long = anIncomingPayment('p', 'Success', shown, ['x'.repeat(400)]);
        await applied(under, keyOf(id), long, 'callback');
      }
      expect(await reviews(id)).toBe(10);
      expect((await under.ledger.find(keyOf(id))).causeDetail?.length).toBeLessThanOrEqual(2_000);
    });
  });

  it('with a second transaction assigns that one to the payment, and its reversal does not reverse the payment', async () => {
    const { ledger, tills } = under;
    const { id } = await aRequestedPayment(under);
    await applied(under, keyOf(id), aSuccess('p'), 'callback');
    await applied(under, keyOf(id), aSuccess('p', aTransaction({ reference: 'TWO' })), 'callback');
    expect((await store.transactions.find('default', 'TWO'))?.sums).toMatchObject([
      { paymentId: id },
    ]);
    const reverse = (reference: string) =>
      tills.observe(anObservedTransaction(aTransaction({ reference, status: 'Reversed' })));
    await reverse('TWO');
    expect(await ledger.find(keyOf(id))).toMatchObject({ state: 'succeeded' });
    await reverse('ONE');
    expect(await ledger.find(keyOf(id))).toMatchObject({ state: 'reversed' });
  });

  it('makes the payment succeeded, even if the alias of its till existed only while its transaction was first observed', async () => {
    const { id } = await aRequestedPayment(under);
    const money = aTransaction({ tillNumber: 'K514459' });
    const aliased = aLedger(store, { tillAliases: { K514459: '514459' } });
    await aliased.tills.observe(anObservedTransaction(money));
    const paid = await applied(under, keyOf(id), aSuccess('platform-1', money), 'callback');
    expect(paid).toMatchObject({ state: 'succeeded' });
  });

  describe('whose till had an alias at the recording and has none now', () => {
    const TILL = { tillNumber: 'K514459', tills: ['K514459', '514459'] };
    const back = aTransaction({ tillNumber: 'K514459', status: 'Reversed' });
    const callback = aSuccess('platform-1', aTransaction({ tillNumber: '514459' }));

    it('makes the payment succeeded when it shows the transaction at the other till number', async () => {
      const { id } = await aRequestedPayment(under, TILL);
      const paid = await applied(under, keyOf(id), callback, 'callback');
      expect(paid).toMatchObject({ state: 'succeeded' });
    });

    it('sends the payment to review when its transaction was reversed at the other till number before its callback', async () => {
      const { id } = await aRequestedPayment(under, TILL);
      await under.tills.observe(anObservedTransaction(back));
      const paid = await applied(under, keyOf(id), callback, 'callback');
      expect(paid).toMatchObject({ state: 'needs_review', cause: 'reversed' });
    });

    it('lets the payment be reversed when its transaction is reversed at the other till number after its callback', async () => {
      const { id } = await aRequestedPayment(under, TILL);
      await applied(under, keyOf(id), callback, 'callback');
      await under.tills.observe(anObservedTransaction(back));
      expect(await under.ledger.find(keyOf(id))).toMatchObject({ state: 'reversed' });
    });
  });
});
