import { describe, expect, it } from '@jest/globals';
import type { ReportLine } from '@tillkit/payments/types';
import type { Total } from '@tillkit/payments/internal/store';
import { sidesOf } from './report-sides.js';
import { statementsOf } from './statement.js';

const moved = (span: number, name: string, minor: string, more: Partial<Total> = {}): Total => ({
  span,
  measure: 'movement',
  kind: '',
  name,
  till: '1',
  currency: 'KES',
  count: 1,
  minor,
  ...more,
});

describe('A statement', () => {
  it('begins with what was left before, and ends with what is left', () => {
    const [statement] = statementsOf([
      moved(0, 'received', '1000'),
      moved(0, 'reversed', '200'),
      moved(0, 'paid_out', '300', { till: '' }),
      moved(0, 'matched', '1000'),
      moved(1, 'received', '500', { count: 5 }),
      moved(1, 'matched', '400', { count: 4 }),
      moved(1, 'reversed', '50'),
      moved(1, 'paid_out', '25', { till: '', count: 2 }),
    ]);
    expect(statement).toEqual({
      currency: 'KES',
      opening: 500n,
      received: { count: 5, minor: 500n },
      reversed: { count: 1, minor: 50n },
      paidOut: { count: 2, minor: 25n },
      closing: 925n,
      unmatched: { count: 1, minor: 100n },
    });
  });

  it('has a part for each currency, and none for amounts that are unreadable', () => {
    const totals = [
      moved(1, 'received', '500', { currency: 'UGX' }),
      moved(1, 'received', '1'),
      moved(1, 'received', '0', { currency: '' }),
    ];
    expect(statementsOf(totals).map(({ currency }) => currency)).toEqual(['KES', 'UGX']);
  });
});

describe('The sides of a report', () => {
  const line = (amountHere: string | null, amountThere: string | null): ReportLine => ({
    reference: 'R',
    tillNumber: '1',
    amountHere,
    amountThere,
    currency: 'KES',
    originatedAt: null,
    paymentId: null,
    paymentLinkId: null,
    difference: null,
  });

  it('each sum the money that they know', () => {
    const sides = sidesOf({
      from: '',
      to: '',
      matched: [line('100.0', '100')],
      different: [line('1', '2.50')],
      missingHere: [line(null, '7')],
      missingThere: [line('9', null), line(null, null)],
    });
    expect(sides).toEqual([
      {
        currency: 'KES',
        here: { count: 4, minor: 11_000n },
        there: { count: 3, minor: 10_950n },
      },
    ]);
  });
});
