import type { ReconciliationReport } from '@tillkit/payments';
import { toMinorUnits } from '@tillkit/payments/internal/routes';
import type { Entry } from './statement.js';

/** The money that came in, in one currency, by our store (`here`) and by the platform (`there`). */
export interface Sides {
  currency: string;
  here: Entry;
  there: Entry;
}

/** Returns the sums of both sides of a report. A transaction with an unreadable amount counts as one of nothing. */
export function sidesOf({
  matched,
  missingHere,
  missingThere,
  different,
}: ReconciliationReport): Sides[] {
  const sides = new Map<string, Sides>();
  for (const line of [...matched, ...different, ...missingHere, ...missingThere]) {
    const currency = line.currency ?? '';
    const before = sides.get(currency) ?? { currency, here: NOTHING, there: NOTHING };
    sides.set(currency, {
      currency,
      here: missingHere.includes(line) ? before.here : plus(before.here, line.amountHere, currency),
      there: missingThere.includes(line)
        ? before.there
        : plus(before.there, line.amountThere, currency),
    });
  }
  return [...sides.values()];
}

const NOTHING: Entry = { count: 0, minor: 0n };

function plus({ count, minor }: Entry, amount: string | null, currency: string): Entry {
  const added = amount === null ? null : toMinorUnits(amount, currency);
  return { count: count + 1, minor: minor + (added ?? 0n) };
}
