import type { FailureReason } from '@tillkit/payments';
import {
  timeOfClass,
  type Backlog,
  type OperationState,
  type Total,
  type Via,
} from '@tillkit/payments/store';

/** Figures of payments that were recorded in a window of time. */
export interface Statistics {
  states: { state: OperationState; count: number }[];
  reasons: { reason: FailureReason; count: number }[];
  /** Sources of results. */
  sources: { via: Via; count: number }[];
  /** Percentiles of the milliseconds from recording to the result; null when there is none. */
  timeToFinalMs: { p50: number; p90: number; p99: number } | null;
  /** Deliveries of each step of the window. */
  deliveries: number[];
  backlog: Backlog;
}

/** The figures of a window from its totals, which have one span for each of its steps. */
export function statisticsOf(
  totals: readonly Total[],
  steps: number,
  backlog: Backlog,
): Statistics {
  const of = (...measures: readonly Total['measure'][]): readonly Total[] =>
    totals.filter(
      ({ measure, kind }) => measures.includes(measure) && (kind === 'payment' || kind === ''),
    );
  const deliveries = Array.from({ length: steps }, () => 0);
  for (const { span, count } of of('delivery')) deliveries[span]! += count;
  return {
    states: named(of('state', 'open')).map(([name, count]) => ({
      state: name as OperationState,
      count,
    })),
    reasons: named(of('reason')).map(([name, count]) => ({ reason: name as FailureReason, count })),
    sources: named(of('source')).map(([name, count]) => ({ via: name as Via, count })),
    timeToFinalMs: percentiles(of('time')),
    deliveries,
    backlog,
  };
}

/** The counts by name, the largest first. */
function named(totals: readonly Total[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { name, count } of totals) counts.set(name, (counts.get(name) ?? 0) + count);
  return [...counts].sort(([a, one], [b, other]) => other - one || a.localeCompare(b));
}

/** Nearest-rank percentiles of counted classes. */
function percentiles(times: readonly Total[]): Statistics['timeToFinalMs'] {
  const classes = named(times)
    .map(([name, count]) => ({ ms: timeOfClass(Number(name)), count }))
    .sort((one, other) => one.ms - other.ms);
  const all = classes.reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return null;
  const at = (share: number): number => {
    let rank = Math.ceil(share * all);
    return classes.find(({ count }) => (rank -= count) <= 0)!.ms;
  };
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}
