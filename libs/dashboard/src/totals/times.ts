import { timeOfClass, type Total } from '@tillkit/payments/internal/store';

/** Nearest-rank percentiles of the times that payments took to complete, in milliseconds. */
export interface Times {
  p50: number;
  p90: number;
  p99: number;
}

/** Null when no payment was completed. */
export function timesOf(totals: readonly Total[]): Times | null {
  const counts = new Map<number, number>();
  for (const { measure, kind, name, count } of totals) {
    if (measure !== 'time' || kind !== 'payment') continue;
    counts.set(Number(name), (counts.get(Number(name)) ?? 0) + count);
  }
  const classes = [...counts].sort(([one], [other]) => one - other);
  const all = classes.reduce((sum, [, count]) => sum + count, 0);
  if (all <= 0) return null;
  const at = (share: number): number => {
    let rank = Math.ceil(share * all);
    const [found] = classes.find(([, count]) => (rank -= count) <= 0) ?? [0];
    return timeOfClass(found);
  };
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}
