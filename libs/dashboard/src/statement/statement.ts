import type { Total } from '@tillkit/payments/internal/store';

/** Money of one kind: the number of movements, and their sum in minor units. */
export interface Entry {
  count: number;
  minor: bigint;
}

export interface Statement {
  currency: string;
  opening: bigint;
  received: Entry;
  reversed: Entry;
  paidOut: Entry;
  closing: bigint;
  /** Money that came in and that no payment asked for. */
  unmatched: Entry;
}

/** The span of the time before the day, and of the day. */
const [BEFORE, DAY] = [0, 1] as const;

/** Returns the statements of all currencies, from the movements before a day and on it. */
export function statementsOf(totals: readonly Total[]): Statement[] {
  const own = totals.filter(({ currency }) => currency !== '');
  const currencies = [...new Set(own.map(({ currency }) => currency))].sort((one, other) =>
    one.localeCompare(other),
  );
  return currencies.map((currency) =>
    statementOf(
      currency,
      own.filter((total) => total.currency === currency),
    ),
  );
}

function statementOf(currency: string, totals: readonly Total[]): Statement {
  const entry = (span: number, wanted: string): Entry =>
    totals
      .filter((total) => total.span === span && total.name === wanted)
      .reduce(
        (sum, { count, minor }) => ({ count: sum.count + count, minor: sum.minor + BigInt(minor) }),
        { count: 0, minor: 0n },
      );
  const balance = (span: number): bigint =>
    entry(span, 'received').minor - entry(span, 'reversed').minor - entry(span, 'paid_out').minor;
  const [received, matched] = [entry(DAY, 'received'), entry(DAY, 'matched')];
  return {
    currency,
    opening: balance(BEFORE),
    received,
    reversed: entry(DAY, 'reversed'),
    paidOut: entry(DAY, 'paid_out'),
    closing: balance(BEFORE) + balance(DAY),
    unmatched: {
      count: received.count - matched.count,
      minor: received.minor - matched.minor,
    },
  };
}
