import { describe, expect, it } from '@jest/globals';
import { aSum, aTransaction } from '../../../../test/contracts/store-under-test.js';
import { movementTotals } from './movement-totals.js';
import type { TransactionSum } from '../money/transaction.js';

const CAME = new Date('2026-01-20T22:45:12.790Z');
const WENT = '2026-01-22T08:00:00Z';

/** The time at which the first report was committed. */
const KNOWN = new Date('2026-01-23T09:00:00Z');

/** Returns what a change adds, each as `name count minor day`. */
function added(before: TransactionSum | null, after: TransactionSum): string[] {
  return movementTotals(before, after, before && KNOWN).map(
    ({ name, count, minor, at }) =>
      `${name} ${count} ${minor} ${at?.toISOString().slice(0, 10) ?? 'now'}`,
  );
}

const received = aSum({ announced: false });

describe('The totals of a till', () => {
  it('count money that a payment of ours shows as received and matched, at the time at which it came', () => {
    expect(added(null, { ...received, paymentId: '1' })).toEqual([
      'received 1 10000 2026-01-20',
      'matched 1 10000 2026-01-20',
    ]);
  });

  it('count money that a bare request of the host asked for as matched', () => {
    expect(added(received, { ...received, bareId: '1' })).toEqual(['matched 1 10000 2026-01-20']);
  });

  it('count money as reported when a webhook or a list shows it at the till', () => {
    expect(added(received, { ...received, announced: true })).toEqual([
      'reported 1 10000 2026-01-20',
    ]);
  });

  it('count nothing twice', () => {
    const known = aSum({ paymentId: '1', webhookEventIds: ['1'] });
    expect(added(known, { ...known, webhookEventIds: ['1', '2'] })).toEqual([]);
  });

  it('count nothing for a reference that a person named, until the platform shows its money', () => {
    const nothing = { received: null, originatedAt: null, currency: null, amountMinor: null };
    const named = aSum({ ...nothing, announced: false, paymentId: '1' });
    expect(added(null, named)).toEqual([]);
    expect(added(named, { ...received, paymentId: '1' })).toEqual([
      'received 1 10000 2026-01-20',
      'matched 1 10000 2026-01-20',
    ]);
  });

  it('count a sum of 0 for an unreadable amount, and the amount when it is readable at last', () => {
    const unreadable = { ...received, amountMinor: null, currency: null };
    expect(added(null, unreadable)).toEqual(['received 1 0 2026-01-20']);
    expect(added(unreadable, received)).toEqual([
      'received -1 0 2026-01-20',
      'received 1 10000 2026-01-20',
    ]);
  });

  it('count money that went back at the time at which it went', () => {
    const reversal = aTransaction({ status: 'Reversed', originationTime: WENT });
    expect(added(received, { ...received, reversal })).toEqual(['reversed 1 10000 2026-01-22']);
  });

  it.each([
    ['repeats the time at which the money came', CAME.toISOString()],
    ['has an earlier time', '2026-01-19T00:00:00Z'],
    ['has no time', null],
  ])(
    'count money that went back at the time of the report if the report %s, so that no earlier day changes',
    (_, at) => {
      const reversal = aTransaction({ status: 'Reversed', originationTime: at });
      expect(added(received, { ...received, reversal })).toEqual(['reversed 1 10000 now']);
    },
  );

  it('count a reversal that comes before its money', () => {
    const reversal = aTransaction({ status: 'Reversed', originationTime: WENT });
    const first = aSum({ received: null, reversal, announced: false });
    expect(added(null, { ...first, originatedAt: new Date(WENT) })).toEqual([
      'received 1 10000 2026-01-22',
      'matched 1 10000 2026-01-22',
      'reported 1 10000 2026-01-22',
      'reversed 1 10000 2026-01-22',
    ]);
  });

  it('take the money of a reversal from the day of the reversal when its own day is known, and leave the reversal', () => {
    const reversal = aTransaction({ status: 'Reversed', originationTime: WENT });
    const first = { ...received, received: null, reversal, originatedAt: new Date(WENT) };
    expect(added(first, { ...received, reversal, announced: true })).toEqual([
      'received -1 -10000 2026-01-22',
      'matched -1 -10000 2026-01-22',
      'reported -1 -10000 2026-01-22',
      'received 1 10000 2026-01-20',
      'reported 1 10000 2026-01-20',
    ]);
  });

  it('count a reversal without a time when it is committed, and so the money before it, until its day is known', () => {
    const reversal = aTransaction({ status: 'Reversed', originationTime: null });
    const first = { ...received, received: null, reversal, originatedAt: null, paymentId: '1' };
    expect(added(null, first)).toEqual([
      'received 1 10000 now',
      'matched 1 10000 now',
      'reported 1 10000 now',
      'reversed 1 10000 now',
    ]);
    expect(added(first, { ...received, reversal, paymentId: '1' })).toEqual([
      'received -1 -10000 2026-01-23',
      'matched -1 -10000 2026-01-23',
      'reported -1 -10000 2026-01-23',
      'received 1 10000 2026-01-20',
      'matched 1 10000 2026-01-20',
    ]);
  });

  it('count the match of money without a time on the day of the money', () => {
    const timeless = { ...received, originatedAt: null };
    expect(added(null, timeless)).toEqual(['received 1 10000 now']);
    expect(added(timeless, { ...timeless, paymentId: '1' })).toEqual([
      'matched 1 10000 2026-01-23',
    ]);
  });

  it('name the first number of the till, cut if it is long', () => {
    const [entry] = movementTotals(null, aSum({ tills: ['9'.repeat(100), '1'] }), null);
    expect(entry).toMatchObject({ till: '9'.repeat(64), kind: '', currency: 'KES' });
  });

  it('count a refund once, on the day on which we learnt of it, also when the platform reports its time later', () => {
    const proven = { ...received, reversal: aTransaction({ status: null, originationTime: null }) };
    expect(added(received, proven)).toEqual(['reversed 1 10000 now']);
    const reported = aTransaction({ status: 'Reversed', originationTime: WENT });
    expect(added(proven, { ...proven, reversal: reported })).toEqual([]);
  });

  it('leave a reversal on its day when the money that it reverses is reported after it', () => {
    const reversal = aTransaction({ status: 'Reversed', originationTime: CAME.toISOString() });
    const first = { ...received, received: null, reversal };
    expect(added(null, first)).toContain('reversed 1 10000 2026-01-20');
    expect(added(first, { ...received, reversal, announced: true, paymentId: '1' })).toEqual([]);
  });
});
