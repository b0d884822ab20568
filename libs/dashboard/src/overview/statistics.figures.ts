import type { Statistics } from '@tillkit/payments/store';
import { REASONS, stateWords } from '../html/state.fragment.js';
import { duration, type TimeFormat } from '../html/time.format.js';
import { stepOf, type StatisticsWindow } from './statistics.window.js';

const HOUR = 3_600_000;

export type FigureName = 'outcome' | 'reasons' | 'time' | 'roads' | 'deliveries' | 'backlog';

/** What a chart draws, and what its table says in numbers. */
export interface Figure {
  name: FigureName;
  title: string;
  /** What the picture shows, for who does not see it. */
  summary: string;
  kind: 'doughnut' | 'bars' | 'line';
  labels: string[];
  /** Shorter labels for the picture, where the full ones have no room. */
  ticks?: string[];
  values: number[];
  /** The values as they are written. */
  words: string[];
  /** Names of the two columns of the table. */
  columns: readonly [string, string];
  /** Tone of each part; left out where all have one. */
  tones?: string[];
}

export interface SuccessRate {
  /** In percent, of what is final; null when nothing is. */
  percent: number | null;
  succeeded: number;
  failed: number;
}

/** Of payments that ended: how many were paid. One that was reversed had been paid. */
export function successRate({ states }: Statistics): SuccessRate {
  const count = (name: string): number => states.find(({ state }) => state === name)?.count ?? 0;
  const succeeded = count('succeeded') + count('reversed');
  const failed = count('failed');
  const all = succeeded + failed;
  return { percent: all === 0 ? null : (succeeded / all) * 100, succeeded, failed };
}

/** All charts of the overview. */
export function figuresOf(
  statistics: Statistics,
  window: StatisticsWindow,
  times: TimeFormat,
): Figure[] {
  return [
    outcome(statistics),
    reasons(statistics),
    timeToFinal(statistics),
    roads(statistics),
    deliveries(statistics, window, times),
    backlog(statistics),
  ];
}

const TONES: Readonly<Record<string, string>> = {
  succeeded: 'good',
  failed: 'bad',
  needs_review: 'wait',
  reversed: 'violet',
  unknown: 'sand',
  pending: 'sky',
  requested: 'sky',
  created: 'grey',
};

function outcome(statistics: Statistics): Figure {
  const { percent } = successRate(statistics);
  const { states } = statistics;
  return {
    name: 'outcome',
    title: 'Success rate',
    summary:
      percent === null
        ? 'No payment of this time has ended yet.'
        : `${percent.toFixed(1)} % of the payments that ended were paid.`,
    kind: 'doughnut',
    labels: states.map(({ state }) => stateWords(state)),
    ...counted(states.map(({ count }) => count)),
    columns: ['State', 'Payments'],
    tones: states.map(({ state }) => TONES[state] ?? 'grey'),
  };
}

function reasons({ reasons: found }: Statistics): Figure {
  const [first] = found;
  return {
    name: 'reasons',
    title: 'Why payments failed',
    summary: first
      ? `Most often: ${REASONS[first.reason] ?? first.reason}.`
      : 'No payment of this time failed.',
    kind: 'bars',
    labels: found.map(({ reason }) => REASONS[reason] ?? reason),
    ...counted(found.map(({ count }) => count)),
    columns: ['Reason', 'Payments'],
  };
}

function timeToFinal({ timeToFinalMs: time }: Statistics): Figure {
  const values = time ? [time.p50, time.p90, time.p99] : [];
  return {
    name: 'time',
    title: 'Time to the end',
    summary: time
      ? `Half of the payments ended within ${duration(time.p50)}, 99 of 100 within ${duration(time.p99)}.`
      : 'No payment of this time has ended yet.',
    kind: 'bars',
    labels: time ? ['half within', '90 % within', '99 % within'] : [],
    values: values.map((ms) => ms / 1_000),
    words: values.map(duration),
    columns: ['Share', 'Time'],
  };
}

function roads({ roads: found }: Statistics): Figure {
  const [first] = found;
  return {
    name: 'roads',
    title: 'How the news came',
    summary: first ? `Most often by ${first.via}.` : 'No news of this time was final.',
    kind: 'doughnut',
    labels: found.map(({ via }) => via),
    ...counted(found.map(({ count }) => count)),
    columns: ['Road', 'Payments'],
    tones: found.map(({ via }) => ROAD_TONES[via] ?? 'grey'),
  };
}

const ROAD_TONES: Readonly<Record<string, string>> = {
  callback: 'good',
  webhook: 'sky',
  status: 'sand',
  sweep: 'violet',
  review: 'bad',
  request: 'grey',
};

/** Joined to no more points than can be seen; each says how many came in a minute of it, on average. */
function deliveries(
  { deliveriesPerMinute }: Statistics,
  window: StatisticsWindow,
  times: TimeFormat,
): Figure {
  const step = stepOf(window);
  const first = Math.floor(window.from.getTime() / step) * step;
  const count = Math.ceil((window.to.getTime() - first) / step);
  const sums = Array.from({ length: count }, () => 0);
  for (const { minute, count: came } of deliveriesPerMinute) {
    const place = Math.floor((minute.getTime() - first) / step);
    if (place >= 0 && place < count) sums[place]! += came;
  }
  const starts = sums.map((_, place) =>
    times.toField(new Date(first + place * step)).replace('T', ' '),
  );
  const perMinute = sums.map((sum) => sum / (step / 60_000));
  const all = sums.reduce((total, sum) => total + sum, 0);
  return {
    name: 'deliveries',
    title: 'Deliveries per minute',
    summary: `${all.toLocaleString('en')} deliveries came, ${rate(Math.max(0, ...perMinute))} a minute at most.`,
    kind: 'line',
    labels: starts,
    // A day is told by its hours, more than that by its dates.
    ticks: starts.map((start) => (step > HOUR ? start.slice(5, 10) : start.slice(11))),
    values: perMinute,
    words: perMinute.map(rate),
    columns: [`From (${duration(step)} each)`, 'A minute'],
  };
}

function backlog({ backlog: waits }: Statistics): Figure {
  const ages = [waits.oldestDeliveryMs ?? 0, waits.oldestCallMs ?? 0];
  return {
    name: 'backlog',
    title: 'Age of the backlog',
    summary:
      waits.deliveries + waits.calls === 0
        ? 'Nothing waits.'
        : `The oldest of what waits came ${duration(Math.max(...ages))} ago.`,
    kind: 'bars',
    labels: ['deliveries to be read', 'listeners to be called'],
    values: ages.map((ms) => ms / 1_000),
    words: [
      waiting(waits.deliveries, waits.oldestDeliveryMs),
      waiting(waits.calls, waits.oldestCallMs),
    ],
    columns: ['What waits', 'How many, and for how long'],
  };
}

function waiting(count: number, oldestMs: number | null): string {
  return oldestMs === null || count === 0 ? 'none' : `${count}, the oldest ${duration(oldestMs)}`;
}

function counted(values: number[]): { values: number[]; words: string[] } {
  return { values, words: values.map((value) => value.toLocaleString('en')) };
}

function rate(value: number): string {
  return value >= 10 || Number.isInteger(value)
    ? Math.round(value).toLocaleString('en')
    : value.toFixed(1);
}
