import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  applied,
  anIncomingPayment,
  anomaliesIn,
  aPendingPayment,
  aRequestedPayment,
  aSuccess,
  aTransaction,
  type LedgerUnderTest,
  keyOf,
} from '../testing/ledger.fixture.js';

Logger.overrideLogger(false);

describe('the ledger', () => {
  let store: MemoryStore;
  let under: LedgerUnderTest;

  beforeEach(() => {
    store = new MemoryStore();
    under = aLedger(store);
  });

  it('does not send a settled operation to review', async () => {
    const { ledger } = under;
    const { id } = await aRequestedPayment(under);
    await applied(under, keyOf(id), aSuccess('platform-1'), 'callback');
    expect(await ledger.review(keyOf(id), 'no_evidence', 'late')).toMatchObject({
      state: 'succeeded',
    });
  });

  it('does not apply evidence with another platform id than that of the operation', async () => {
    const { id } = await aRequestedPayment(under);
    await applied(under, keyOf(id), anIncomingPayment('platform-1', 'Pending', null), 'status');
    const other = await applied(under, keyOf(id), aSuccess('platform-2'), 'callback');
    expect(other).toMatchObject({ state: 'pending', platformId: 'platform-1' });
    expect(await anomaliesIn(store)).toEqual(['evidence with another platform id']);
  });

  it('does not compare the transaction of evidence that has another platform id than the operation', async () => {
    const { id } = await aRequestedPayment(under);
    await applied(under, keyOf(id), aSuccess('platform-1'), 'callback');
    const otherAmount = aSuccess('platform-2', aTransaction({ amount: '90.0' }));
    await applied(under, keyOf(id), otherAmount, 'callback');
    expect(await anomaliesIn(store)).toEqual(['evidence with another platform id']);
  });

  it('denies money from before a read that says Failed', async () => {
    const { id } = await aPendingPayment(under, 'platform-1');
    const failed = anIncomingPayment('platform-1', 'Failed', null, ['cancelled']);
    const { deniedAt } = await applied(under, keyOf(id), failed, 'status');
    expect(deniedAt).toBeInstanceOf(Date);
  });

  it('denies no money because of a callback that says Failed, because it may be older than the money', async () => {
    const { id } = await aPendingPayment(under, 'platform-1');
    const failed = anIncomingPayment('platform-1', 'Failed', null, ['cancelled']);
    const { state, deniedAt } = await applied(under, keyOf(id), failed, 'callback');
    expect({ state, deniedAt }).toEqual({ state: 'failed', deniedAt: null });
  });

  it.each([
    ['an unknown status', 'Settling'],
    ['Success without a transaction', 'Success'],
  ])(
    'makes an unknown operation pending when %s is the first evidence with its platform id',
    async (_, status) => {
      const { answers } = under;
      const { id } = await aRequestedPayment(under);
      await answers.giveUp(keyOf(id));
      const shown = anIncomingPayment('platform-1', status, null);
      expect(await applied(under, keyOf(id), shown, 'callback')).toMatchObject({
        state: 'pending',
        platformId: 'platform-1',
      });
    },
  );

  it('throws an error when another process always changes the operation first', async () => {
    const { id } = await aRequestedPayment(under);
    store.ledger.commit = async () => null;
    await expect(under.answers.giveUp(keyOf(id))).rejects.toThrow(
      /operation .* changed during each of 50 attempts/,
    );
  });

  it('throws an error that names the operation when it is no longer in the store', async () => {
    await expect(under.ledger.find(keyOf('nothing'))).rejects.toThrow(
      /the store has no operation nothing/,
    );
  });
});
