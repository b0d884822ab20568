import { count as shownCount, decimal, percentage } from '../html/number.format.js';
import { duration, type TimeFormat } from '../html/time.format.js';
import type { Words } from '../words/english.words.js';
import { wordFor } from '../words/words.dto.js';
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
  words: Words,
  statistics: Statistics,
  window: StatisticsWindow,
  times: TimeFormat,
): Figure[] {
  return [
    outcome(words, statistics),
    reasons(words, statistics),
    timeToFinal(words, statistics),
    sources(words, statistics),
    deliveries(words, statistics, window, times),
    backlog(words, statistics),
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

function outcome(words: Words, statistics: Statistics): Figure {
  const { percent } = successRate(statistics);
  const { states } = statistics;
  const { outcome: text, noneCompleted, payments } = words.figures;
  return {
    name: 'outcome',
    title: text.title,
    summary: percent === null ? noneCompleted : text.summary(percentage(words, percent)),
    kind: 'doughnut',
    labels: states.map(({ state }) => wordFor(words.states, state)),
    ...counted(
      words,
      states.map(({ count }) => count),
    ),
    columns: [text.column, payments],
    tones: states.map(({ state }) => TONES[state] ?? 'grey'),
  };
}

function reasons(words: Words, { reasons: found }: Statistics): Figure {
  const { reasons: text, payments } = words.figures;
  const [first] = found;
  return {
    name: 'reasons',
    title: text.title,
    summary: first ? text.summary(wordFor(words.reasons, first.reason)) : text.none,
    kind: 'bars',
    labels: found.map(({ reason }) => wordFor(words.reasons, reason)),
    ...counted(
      words,
      found.map(({ count }) => count),
    ),
    columns: [text.column, payments],
  };
}

function timeToFinal(words: Words, { timeToFinalMs: time }: Statistics): Figure {
  const { time: text, noneCompleted, seconds } = words.figures;
  const values = time ? [time.p50, time.p90, time.p99] : [];
  return {
    name: 'time',
    title: text.title,
    summary: time
      ? text.summary(duration(words, time.p50), duration(words, time.p99))
      : noneCompleted,
    kind: 'bars',
    labels: time ? [50, 90, 99].map((share) => within(words, share)) : [],
    values: values.map((ms) => ms / 1_000),
    texts: values.map((ms) => duration(words, ms)),
    columns: [text.columns.share, text.columns.time],
    unit: seconds,
  };
}

function within(words: Words, share: number): string {
  return words.figures.time.within(words.units.percent(shownCount(words, share)));
}

function sources(words: Words, { sources: found }: Statistics): Figure {
  const { sources: text, noneCompleted, payments } = words.figures;
  const [first] = found;
  return {
    name: 'sources',
    title: text.title,
    summary: first ? text.summary(wordFor(words.sources, first.via)) : noneCompleted,
    kind: 'doughnut',
    labels: found.map(({ via }) => wordFor(words.sources, via)),
    ...counted(
      words,
      found.map(({ count }) => count),
    ),
    columns: [text.column, payments],
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
  words: Words,
  { deliveries: sums }: Statistics,
  window: StatisticsWindow,
  times: TimeFormat,
): Figure {
  const { deliveries: text } = words.figures;
  const step = stepOf(window);
  const starts = boundariesOf(window)
    .slice(0, -1)
    .map((start) => times.toField(start).replace('T', ' '));
  const perMinute = sums.map((sum) => sum / (step / 60_000));
  const all = sums.reduce((total, sum) => total + sum, 0);
  return {
    name: 'deliveries',
    title: text.title,
    summary: text.summary(all, rate(words, Math.max(0, ...perMinute))),
    kind: 'line',
    labels: starts,
    // Steps of more than an hour are labelled by date, shorter ones by time.
    ticks: starts.map((start) => (step > HOUR ? start.slice(5, 10) : start.slice(11))),
    values: perMinute,
    texts: perMinute.map((value) => rate(words, value)),
    columns: [text.columns.from(duration(words, step)), text.columns.perMinute],
  };
}

function backlog(words: Words, { backlog: counts }: Statistics): Figure {
  const { backlog: text, seconds } = words.figures;
  const ages = [counts.oldestDeliveryMs ?? 0, counts.oldestCallMs ?? 0];
  return {
    name: 'backlog',
    title: text.title,
    summary:
      counts.deliveries + counts.calls === 0
        ? text.none
        : text.summary(duration(words, Math.max(...ages))),
    kind: 'bars',
    labels: [text.deliveries, text.calls],
    values: ages.map((ms) => ms / 1_000),
    texts: [
      waiting(words, counts.deliveries, counts.oldestDeliveryMs),
      waiting(words, counts.calls, counts.oldestCallMs),
    ],
    columns: [text.columns.waiting, text.columns.count],
    unit: seconds,
  };
}

function waiting(words: Words, count: number, oldestMs: number | null): string {
  return oldestMs === null || count === 0
    ? words.common.none
    : words.figures.backlog.count(count, duration(words, oldestMs));
}

function counted(words: Words, values: number[]): { values: number[]; texts: string[] } {
  return { values, texts: values.map((value) => shownCount(words, value)) };
}

function rate(words: Words, value: number): string {
  return value >= 10 || Number.isInteger(value)
    ? shownCount(words, Math.round(value))
    : decimal(words, value);
}
