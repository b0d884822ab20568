import { describe, expect, it } from '@jest/globals';
import {
  quarterOf,
  timeClass,
  timeOfClass,
  totalName,
  totalsBetween,
  type TotalChange,
} from './total.js';

const PAID: TotalChange = {
  measure: 'state',
  kind: 'payment',
  name: 'succeeded',
  till: '1',
  currency: 'KES',
  count: 1,
  minor: '100',
  at: new Date(0),
};

describe('The difference of totals', () => {
  it('adds what is new, takes back what is gone, and keeps what is the same', () => {
    const reversed = { ...PAID, name: 'reversed' };
    const kept = { ...PAID, name: 'kept' };
    expect(totalsBetween([PAID, kept], [kept, reversed])).toEqual([
      { ...PAID, count: -1, minor: '-100' },
      reversed,
    ]);
  });

  it('takes back nothing as 0, and not as -0, which no number type reads', () => {
    expect(totalsBetween([{ ...PAID, minor: '0' }], [])).toEqual([
      { ...PAID, count: -1, minor: '0' },
    ]);
  });

  it('takes back what it counts when only the amount is another one', () => {
    const more = { ...PAID, minor: '101' };
    expect(totalsBetween([PAID], [more])).toEqual([{ ...PAID, count: -1, minor: '-100' }, more]);
  });
});

describe('The class of a time', () => {
  it.each([-5, 0, 0.4, 1])('of %d ms is the first', (ms) => {
    expect(timeClass(ms)).toBe(0);
  });

  it('has a middle that is at most 10 % away from each of its times', () => {
    for (let ms = 20; ms < 1e9; ms *= 1.01) {
      expect(Math.abs(timeOfClass(timeClass(ms)) / ms - 1)).toBeLessThan(0.1);
    }
  });
});

describe('A quarter of an hour', () => {
  it.each([
    ['2026-01-20T12:14:59.999Z', '2026-01-20T12:00:00.000Z'],
    ['2026-01-20T12:15:00.000Z', '2026-01-20T12:15:00.000Z'],
    ['1969-12-31T23:59:00.000Z', '1969-12-31T23:45:00.000Z'],
  ])('of %s begins at %s', (at, quarter) => {
    expect(quarterOf(new Date(at)).toISOString()).toBe(quarter);
  });
});

describe('A name in a total', () => {
  it('is cut, because it must fit into an index', () => {
    expect(totalName('x'.repeat(10_000))).toBe('x'.repeat(64));
    expect(totalName(null)).toBe('');
  });
});
