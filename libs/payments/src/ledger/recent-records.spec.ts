import { describe, expect, it } from '@jest/globals';
import { transactionChange } from '../../../../test/contracts/store-under-test.js';
import { phoneHash } from '../money/phone-number.js';
import type { LedgerChange } from '../store/ledger.store.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  aPaymentRecord,
  aTransaction,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';

describe('an open operation', () => {
  const money = {
    account: 'default',
    currency: 'KES',
    amountMinor: '10000',
    payerHash: phoneHash('+254700000001'),
  };
  const ids = ({ records }: LedgerUnderTest, of = money): string[] =>
    records.openOperations(of).map(({ id }) => id);

  it('is found by the money that it expects until it has ended or is deleted, beside others of the same money', () => {
    const under = aLedger(new MemoryStore());
    const payment = aPaymentRecord({ state: 'pending', amountMinor: '10000' });
    for (const id of ['one', 'two', 'three', 'one']) under.records.keep({ ...payment, id });
    expect(ids(under)).toEqual(['two', 'three', 'one']);
    expect(ids(under, { ...money, amountMinor: '10001' })).toEqual([]);
    expect(ids(under, { ...money, account: 'other' })).toEqual([]);
    under.records.keep({ ...payment, id: 'two', state: 'succeeded' });
    under.records.delete({ account: 'default', operation: { id: 'three' } } as LedgerChange);
    expect(ids(under)).toEqual(['one']);
    under.records.keep({ ...payment, id: 'one', state: 'failed' });
    expect(ids(under)).toEqual([]);
  });

  it('that ends in another process is deleted with the oldest records, also if its payer pays again and again', () => {
    const under = aLedger(new MemoryStore());
    const payment = aPaymentRecord({ state: 'pending', amountMinor: '10000' });
    for (let n = 0; n < 2_100; n += 1) under.records.keep({ ...payment, id: `n${n}` });
    expect(ids(under)).toHaveLength(2_000);
  });
});

describe('the record of a transaction that another process has created', () => {
  it('keeps the time of its creation when this process changes it', () => {
    const { records } = aLedger(new MemoryStore());
    const createdAt = new Date('2026-01-20T22:45:12Z');
    const change = transactionChange('default', 'R', 3);
    records.learn({ ...change, transaction: { ...change.transaction!, createdAt } }, new Date());
    expect(records.transaction('default', 'R')).toMatchObject({ version: 4, createdAt });
  });
});

describe('a record with all that a large result said', () => {
  const raw = { text: 'x'.repeat(100_000) };

  it('is not remembered, and neither is what it replaces', () => {
    const { records } = aLedger(new MemoryStore());
    const payment = aPaymentRecord({ state: 'pending' });
    records.keep(payment);
    records.keep({ ...payment, transaction: aTransaction({ raw }), state: 'succeeded' });
    expect(records.operation(payment.account, payment.id)).toBeNull();
  });

  it('of a transaction is not remembered', () => {
    const { records } = aLedger(new MemoryStore());
    const change = transactionChange('default', 'R', 3);
    const sums = change.transaction!.sums.map((sum) => ({
      ...sum,
      received: aTransaction({ raw }),
    }));
    records.learn(change, new Date());
    records.learn({ ...change, transaction: { ...change.transaction!, sums } }, new Date());
    expect(records.transaction('default', 'R')).toBeNull();
  });
});
