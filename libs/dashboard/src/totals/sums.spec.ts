import { describe, expect, it } from '@jest/globals';
import type { Total } from '@tillkit/payments/internal/store';
import { netOf, successRate, sumsBy, sumsByCurrency, withoutLinks } from './sums.js';
import { timesOf } from './times.js';

function total(input: Partial<Total>): Total {
  return {
    span: 0,
    measure: 'state',
    kind: 'payment',
    name: 'succeeded',
    till: '1',
    currency: 'KES',
    count: 1,
    minor: '100',
    ...input,
  };
}

describe('Sums', () => {
  it('count a reversed payment as paid and as reversed, and its money as gone back', () => {
    const [sums] = sumsByCurrency([
      total({ count: 3, minor: '900' }),
      total({ name: 'reversed', count: 1, minor: '100' }),
      total({ name: 'failed', count: 2, minor: '50' }),
      total({ measure: 'open', name: 'pending', count: 4, minor: '7' }),
    ]);
    expect(sums).toMatchObject({ payments: 10, paid: 4, failed: 2, reversed: 1 });
    expect(sums).toMatchObject({ volume: 1000n, reversedVolume: 100n });
    expect(successRate(sums!)).toBe(50);
    expect(netOf(sums!)).toBe(900n);
  });

  it('take what was paid out from the net, and count refunds as a part of what went back', () => {
    const [sums] = sumsByCurrency([
      total({ minor: '1000' }),
      total({ name: 'reversed', minor: '300' }),
      total({ kind: 'refund', minor: '300' }),
      total({ kind: 'payout', minor: '200' }),
      total({ measure: 'movement', kind: 'payout', name: 'paid_out', minor: '200' }),
    ]);
    expect(sums).toMatchObject({ paid: 2, refunded: 300n, paidOut: 200n });
    expect(netOf(sums!)).toBe(800n);
  });

  it('count a payment link that was paid as a payment, also when its money went back', () => {
    const link = { kind: 'payment_link' };
    const totals = [
      total({ minor: '1000' }),
      total({ ...link, minor: '500' }),
      total({ ...link, name: 'reversed', minor: '300' }),
    ];
    const [sums] = sumsByCurrency(totals);
    expect(sums).toMatchObject({ payments: 3, paid: 3, volume: 1800n });
    expect(sums).toMatchObject({ reversed: 1, reversedVolume: 300n });
    expect(netOf(sums!)).toBe(1500n);
    expect(sumsByCurrency(withoutLinks(totals))).toMatchObject([{ payments: 1, volume: 1000n }]);
  });

  it.each([
    ['an open payment link', { kind: 'payment_link', measure: 'open', name: 'pending' }],
    ['a payment link that failed', { kind: 'payment_link', name: 'failed' }],
    ['an open refund', { kind: 'refund', measure: 'open', name: 'pending' }],
    ['a refund that failed', { kind: 'refund', name: 'failed' }],
    ['the state of a payout', { kind: 'payout' }],
  ] as const)('have no group for %s, which adds nothing', (_, input) => {
    expect(sumsBy([total(input)], ({ till }) => till).size).toBe(0);
  });

  it('keep currencies apart, with the currency of most payments first', () => {
    const sums = sumsByCurrency([total({ currency: 'UGX' }), total({ count: 2 })]);
    expect(sums.map(({ currency }) => currency)).toEqual(['KES', 'UGX']);
  });

  it('leave out what has no currency and what is no money', () => {
    const found = sumsBy(
      [
        total({ measure: 'reason', currency: '' }),
        total({ measure: 'movement', name: 'received' }),
        total({ measure: 'delivery', currency: '' }),
      ],
      ({ till }) => till,
    );
    expect(found.size).toBe(0);
  });

  it('have no success rate without a completed payment', () => {
    const [sums] = sumsByCurrency([total({ measure: 'open', name: 'pending' })]);
    expect(successRate(sums!)).toBeNull();
  });
});

describe('Times to complete', () => {
  const time = (name: number, count: number): Total =>
    total({ measure: 'time', name: String(name), count, currency: '' });

  it('are nearest-rank percentiles of the counted classes', () => {
    const times = timesOf([time(40, 50), time(60, 40), time(80, 10)])!;
    expect([times.p50, times.p90, times.p99]).toEqual(
      [40, 60, 80].map((n) => timesOf([time(n, 1)])!.p50),
    );
  });

  it('include payments only, and are missing without a result', () => {
    expect(timesOf([{ ...time(40, 1), kind: 'payout' }])).toBeNull();
    expect(timesOf([])).toBeNull();
  });
});
