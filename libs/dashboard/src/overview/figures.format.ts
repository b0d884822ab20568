import { REASONS, stateName } from '../html/state.fragment.js';
import { duration, type TimeFormat } from '../html/time.format.js';
import type { Figure } from './figure.dto.js';
import { boundariesOf, stepOf, type StatisticsWindow } from './statistics-window.dto.js';
import type { Statistics } from './statistics.js';

const HOUR = 3_600_000;

export interface SuccessRate {
  /** Percentage of the completed payments that were paid; null when none is completed. */
  percent: number | null;
  succeeded: number;
  failed: number;
  reversed: number;
}

/** How many of the completed payments are paid. The money of a reversed payment went back, so it is not. */
export function successRate({ states }: Statistics): SuccessRate {
  const count = (name: string): number => states.find(({ state }) => state === name)?.count ?? 0;
  const [succeeded, failed, reversed] = [count('succeeded'), count('failed'), count('reversed')];
  const all = succeeded + failed + reversed;
  return { percent: all === 0 ? null : (succeeded / all) * 100, succeeded, failed, reversed };
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
    sources(statistics),
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
        ? 'No payment in this window is completed yet.'
        : `${percent.toFixed(1)} % of the completed payments are paid.`,
    kind: 'doughnut',
    labels: states.map(({ state }) => stateName(state)),
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
      : 'No payment in this window failed.',
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
    title: 'Time to complete',
    summary: time
      ? `Half of the payments were completed within ${duration(time.p50)}, 99 % within ${duration(time.p99)}.`
      : 'No payment in this window is completed yet.',
    kind: 'bars',
    labels: time ? ['50 % within', '90 % within', '99 % within'] : [],
    values: values.map((ms) => ms / 1_000),
    texts: values.map(duration),
    columns: ['Share', 'Time'],
  };
}

function sources({ sources: found }: Statistics): Figure {
  const [first] = found;
  return {
    name: 'sources',
    title: 'Source of result',
    summary: first ? `Most often by ${first.via}.` : 'No payment in this window is completed yet.',
    kind: 'doughnut',
    labels: found.map(({ via }) => via),
    ...counted(found.map(({ count }) => count)),
    columns: ['Source', 'Payments'],
    tones: found.map(({ via }) => SOURCE_TONES[via] ?? 'grey'),
  };
}

const SOURCE_TONES: Readonly<Record<string, string>> = {
  callback: 'good',
  webhook: 'sky',
  status: 'sand',
  sweep: 'violet',
  review: 'bad',
  request: 'grey',
};

/** One point for each step of the window: the average number of deliveries per minute in it. */
function deliveries(
  { deliveries: sums }: Statistics,
  window: StatisticsWindow,
  times: TimeFormat,
): Figure {
  const step = stepOf(window);
  const starts = boundariesOf(window)
    .slice(0, -1)
    .map((start) => times.toField(start).replace('T', ' '));
  const perMinute = sums.map((sum) => sum / (step / 60_000));
  const all = sums.reduce((total, sum) => total + sum, 0);
  return {
    name: 'deliveries',
    title: 'Deliveries per minute',
    summary: `${all.toLocaleString('en')} deliveries, at most ${rate(Math.max(0, ...perMinute))} per minute.`,
    kind: 'line',
    labels: starts,
    // Steps of more than an hour are labelled by date, shorter ones by time.
    ticks: starts.map((start) => (step > HOUR ? start.slice(5, 10) : start.slice(11))),
    values: perMinute,
    texts: perMinute.map(rate),
    columns: [`From (${duration(step)} each)`, 'Per minute'],
  };
}

function backlog({ backlog: counts }: Statistics): Figure {
  const ages = [counts.oldestDeliveryMs ?? 0, counts.oldestCallMs ?? 0];
  return {
    name: 'backlog',
    title: 'Age of the backlog',
    summary:
      counts.deliveries + counts.calls === 0
        ? 'Nothing is waiting.'
        : `The oldest entry has waited ${duration(Math.max(...ages))}.`,
    kind: 'bars',
    labels: ['deliveries to process', 'listeners to call'],
    values: ages.map((ms) => ms / 1_000),
    texts: [
      waiting(counts.deliveries, counts.oldestDeliveryMs),
      waiting(counts.calls, counts.oldestCallMs),
    ],
    columns: ['Waiting', 'Count and age'],
  };
}

function waiting(count: number, oldestMs: number | null): string {
  return oldestMs === null || count === 0 ? 'none' : `${count}, the oldest ${duration(oldestMs)}`;
}

function counted(values: number[]): { values: number[]; texts: string[] } {
  return { values, texts: values.map((value) => value.toLocaleString('en')) };
}

function rate(value: number): string {
  return value >= 10 || Number.isInteger(value)
    ? Math.round(value).toLocaleString('en')
    : value.toFixed(1);
}
