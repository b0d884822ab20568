import { describe, expect, it } from '@jest/globals';
import type { Operation } from '../store/operation.js';
import { NOTHING_PAID, operationTotals, type PaidOut } from './operation-totals.js';

const PENDING = {
  kind: 'payment',
  state: 'pending',
  reason: null,
  amount: { currency: 'KES', value: '100.00' },
  amountMinor: '10000',
  tills: ['K000123', '514459'],
  createdAt: new Date('2026-01-20T12:00:00Z'),
} as unknown as Operation;

/** Returns what a change adds, each as `measure name count`. */
function added(
  before: Partial<Operation>,
  after: Partial<Operation>,
  paidOut: PaidOut = NOTHING_PAID,
): string[] {
  const sent = { before: NOTHING_PAID, after: paidOut };
  const [one, other] = [
    { ...PENDING, ...before },
    { ...PENDING, ...after },
  ];
  return operationTotals(one, other, 'callback', sent, 'K000123').map(
    ({ measure, name, count }) => `${measure} ${name} ${count}`,
  );
}

describe('The totals of operations', () => {
  it('count a success with its amount, its till, its source and its time, when it was recorded', () => {
    const paidOut = { before: NOTHING_PAID, after: NOTHING_PAID };
    const at = PENDING.createdAt;
    const words = { kind: 'payment', count: 1, at };
    expect(
      operationTotals(PENDING, { ...PENDING, state: 'succeeded' }, 'webhook', paidOut, 'K000123'),
    ).toEqual([
      {
        ...words,
        measure: 'state',
        name: 'succeeded',
        till: 'K000123',
        currency: 'KES',
        minor: '10000',
      },
      { ...words, measure: 'source', name: 'webhook', till: '', currency: '', minor: '0' },
      { ...words, measure: 'time', name: '', till: '', currency: '', minor: '0' },
    ]);
  });

  it('count why a payment failed', () => {
    expect(added({}, { state: 'failed', reason: 'cancelled' })).toEqual([
      'state failed 1',
      'reason cancelled 1',
      'source callback 1',
      'time  1',
    ]);
  });

  it.each([
    ['needs a review', { state: 'needs_review', cause: 'no_evidence' }],
    ['gets an id', { platformId: '1' }],
    ['becomes unknown', { state: 'unknown' }],
  ] as const)('count nothing when an operation %s', (_, after) => {
    expect(added({}, after)).toEqual([]);
  });

  it('move a reversed payment from the paid to the reversed, and count no other result', () => {
    expect(added({ state: 'succeeded' }, { state: 'reversed' })).toEqual([
      'state succeeded -1',
      'state reversed 1',
    ]);
  });

  it('take a failure back when money arrives after it, and count the success as another result', () => {
    const failed = { state: 'failed', reason: 'timeout' } as const;
    const review = { state: 'needs_review', reason: 'timeout' } as const;
    expect(added(failed, review)).toEqual(['state failed -1', 'reason timeout -1']);
    expect(added(review, { state: 'succeeded' })).toEqual([
      'state succeeded 1',
      'source callback 1',
      'time  1',
    ]);
  });

  it('count no result for a payment whose money went back during its review', () => {
    expect(added({ state: 'needs_review' }, { state: 'reversed' })).toEqual(['state reversed 1']);
  });

  it('count what a payout sent when we learn of it, by destination', () => {
    const paidOut = {
      before: { count: 1, minor: 500n },
      after: { count: 3, minor: 1_700n },
    };
    const change = operationTotals(PENDING, PENDING, 'callback', paidOut, null);
    expect(change).toEqual([
      {
        measure: 'movement',
        kind: 'payment',
        name: 'paid_out',
        till: '',
        currency: 'KES',
        count: 2,
        minor: '1200',
        at: null,
      },
    ]);
  });
});
