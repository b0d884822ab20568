import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import {
  aRequestedPayment,
  aTransaction,
  applied,
  aSuccess,
  keyOf,
} from '../testing/ledger.fixture.js';
import { asked, DAY, HOUR, MoneyOut } from '../testing/money-out.fixture.js';
import type { ReviewsService } from './reviews.service.js';

Logger.overrideLogger(false);

const WHO = { by: 'jane', note: 'not on the statement' } as const;

describe('reviews, many at once,', () => {
  let money: MoneyOut;
  let reviews: ReviewsService;

  beforeEach(() => {
    money = new MoneyOut();
    ({ reviews } = money);
  });

  afterEach(() => money.close());

  const unseenPayment = async (idempotencyKey: string): Promise<string> => {
    const { id } = await aRequestedPayment(money.under, { idempotencyKey });
    await money.noEvidence(id);
    return id;
  };

  const stateOf = async (id: string) => (await money.under.ledger.find(keyOf(id))).state;

  it('are counted with their sums by kind and cause, with the time of the oldest', async () => {
    const since = new Date(money.runtime.now());
    await unseenPayment('one');
    money.runtime.advance(HOUR);
    await unseenPayment('two');
    const payout = await money.payouts.request(asked('payout'));
    await money.noEvidence(payout.id);
    expect(await reviews.waiting()).toMatchObject([
      { kind: 'payment', cause: 'no_evidence', count: 2, sum: { value: '200.00' }, since },
      { kind: 'payout', cause: 'no_evidence', count: 1, sum: { currency: 'KES', value: '100.00' } },
    ]);
    expect(await reviews.waiting({ kind: 'payout' })).toHaveLength(1);
    expect(await reviews.waiting({ cause: 'ambiguous' })).toEqual([]);
    const before = new Date(since.getTime() + 1);
    expect(await reviews.waiting({ before })).toMatchObject([{ count: 1 }]);
  });

  it('are decided each by itself, of every kind, and those that the decision contradicts are named', async () => {
    const payment = await unseenPayment('one');
    const payout = await money.payouts.request(asked('payout'));
    await money.noEvidence(payout.id);
    await money.receives({ reference: 'TWO' });
    const refund = await money.refunds.request({
      idempotencyKey: 'refund',
      reference: 'TWO',
      tillNumber: '514459',
      why: 'late',
    });
    await money.noEvidence(refund.id);
    const { id: proven } = await aRequestedPayment(money.under, { idempotencyKey: 'other' });
    await money.noEvidence(proven);
    await money.under.ledger.resolve(keyOf(proven), { ...WHO, state: 'failed' });
    await applied(money.under, keyOf(proven), aSuccess('p', aTransaction()), 'status');
    expect(await stateOf(proven)).toBe('needs_review');
    const { decided, refused } = await reviews.resolve({}, { ...WHO, state: 'failed', count: 4 });
    expect(decided.toSorted()).toEqual([payment, payout.id, refund.id].toSorted());
    expect(refused).toMatchObject([
      { id: proven, why: expect.stringContaining('the platform shows transaction') },
    ]);
    for (const id of decided) expect(await stateOf(id)).toBe('failed');
    expect(await stateOf(proven)).toBe('needs_review');
  });

  it('are more than a page, and all of them are decided', async () => {
    for (let n = 0; n < 201; n += 1) await unseenPayment(`key-${n}`);
    const decision = { ...WHO, state: 'failed', count: 201 } as const;
    const { decided } = await reviews.resolve({ cause: 'no_evidence' }, decision);
    expect(decided).toHaveLength(201);
    expect(await reviews.waiting()).toEqual([]);
  });

  it('stay open when another number waits than the person saw, or nobody is named', async () => {
    const id = await unseenPayment('one');
    const resolve = (changes: object) =>
      reviews.resolve({}, { ...WHO, state: 'failed', count: 1, ...changes });
    await expect(resolve({ count: 2 })).rejects.toThrow(/count.*1 do now/s);
    await expect(resolve({ by: '' })).rejects.toThrow(/by/);
    await expect(resolve({ note: ' ' })).rejects.toThrow(/note/);
    money.runtime.advance(DAY);
    expect(await stateOf(id)).toBe('needs_review');
  });

  it('need a reference to become succeeded where nobody knows the money', async () => {
    const id = await unseenPayment('one');
    const { refused } = await reviews.resolve({}, { ...WHO, state: 'succeeded', count: 1 });
    expect(refused).toMatchObject([{ id, why: expect.stringContaining('give the reference') }]);
  });
});
