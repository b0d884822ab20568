import type { Measure } from '../money/total.js';

/** Selects totals. */
export interface TotalsQuery {
  measures: readonly Measure[];
  /**
   * The times between which one total each is wanted, none before the one ahead of it: n times give n - 1 spans. A total belongs to the span in which its
   * quarter of an hour begins.
   */
  boundaries: readonly Date[];
}

/** The total of one span. */
export interface Total {
  /** Index of the span: 0 is from the first to the second boundary. */
  span: number;
  measure: Measure;
  kind: string;
  name: string;
  till: string;
  currency: string;
  count: number;
  /** Sum in minor units, as text. */
  minor: string;
}

/**
 * Counts and sums that are kept, so that reading them costs the same however many operations there are. A commit adds to them what it
 * changes. Retention deletes operations, and not what they added. Every method may throw `StoreUnavailableError`.
 */
export abstract class TotalsStore {
  /**
   * The totals of an account that are not 0, in no particular order.
   * @throws RangeError when the times are not in order: their spans would overlap, and money would count in two of them
   */
  abstract read(account: string, query: TotalsQuery): Promise<Total[]>;
}

/** @throws RangeError when the times of a query are not in order */
export function requireOrder({ boundaries }: TotalsQuery): void {
  const isLate = (time: Date, index: number): boolean => time < (boundaries[index - 1] ?? time);
  if (boundaries.some(isLate)) throw new RangeError('the times of totals must be in order');
}
