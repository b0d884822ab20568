import type { Total } from '@tillkit/payments/store';
import { minorText } from '../html/money.fragment.js';
import { formatMoney } from '@tillkit/pages';
import { count as shownCount, decimal, percentage } from '../html/number.format.js';
import { duration } from '../html/time.format.js';
import type { Period } from '../totals/period.dto.js';
import {
  nothing,
  successRate,
  sumsBy,
  sumsByCurrency,
  withoutLinks,
  type Sums,
} from '../totals/sums.js';
import { timesOf, type Times } from '../totals/times.js';
import type { Words } from '../words/english.words.js';
import { wordFor } from '../words/words.dto.js';
import type { Visit } from '../web/visit.dto.js';
import type { Figure, FigureSeries } from './figure.dto.js';

const HOUR = 3_600_000;

/** The totals of each step of a period. */
type Steps = readonly (readonly Total[])[];

/** All charts of the overview. */
export function figuresOf(visit: Visit, period: Period, totals: readonly Total[]): Figure[] {
  const steps: Total[][] = period.boundaries.slice(1).map(() => []);
  for (const total of totals) steps[total.span]?.push(total);
  const axis = axisOf(visit, period);
  return [
    volume(visit.words, axis, steps, totals),
    rate(visit.words, axis, steps, totals),
    time(visit.words, axis, steps, totals),
    reasons(visit.words, totals),
    sources(visit.words, totals),
    deliveries(visit.words, axis, steps, period),
  ];
}

type Axis = Pick<Figure, 'labels' | 'ticks' | 'labelName'>;

/** The steps of the period: hours or days. */
function axisOf({ words, times }: Visit, { boundaries, stepMs }: Period): Axis {
  const starts = boundaries.slice(0, -1).map((start) => times.toField(start).replace('T', ' '));
  const isHours = stepMs === HOUR;
  return {
    labels: isHours ? starts : starts.map((start) => start.slice(0, 10)),
    ticks: starts.map((start) => (isHours ? start.slice(11) : start.slice(5, 10))),
    labelName: isHours ? words.figures.hour : words.figures.day,
  };
}

/** The money of the paid payments and payment links, of the currency of most payments: two currencies have no common axis. */
function volume(words: Words, axis: Axis, steps: Steps, totals: readonly Total[]): Figure {
  const { volume: text } = words.figures;
  const [main] = sumsByCurrency(totals);
  const currency = main?.currency ?? '';
  const values = steps.map((step) => sumOf(step, currency)?.volume ?? 0n);
  const shown = (minor: bigint): string =>
    `${currency} ${formatMoney(minorText(minor, currency), currency)}`;
  return {
    name: 'volume',
    title: text.title,
    summary: main ? text.summary(shown(main.volume)) : words.figures.nonePaid,
    kind: 'columns',
    ...axis,
    unit: currency,
    series: [
      {
        name: text.column,
        values: values.map((minor) => Number(minorText(minor, currency))),
        texts: values.map(shown),
      },
    ],
  };
}

function rate(words: Words, axis: Axis, steps: Steps, totals: readonly Total[]): Figure {
  const { rate: text, noneCompleted } = words.figures;
  const rateOf = (some: readonly Total[]): number | null =>
    successRate(inAllCurrencies(withoutLinks(some)));
  const all = rateOf(totals);
  const values = steps.map(rateOf);
  return {
    name: 'rate',
    title: text.title,
    summary: all === null ? noneCompleted : text.summary(percentage(words, all)),
    kind: 'lines',
    ...axis,
    unit: text.unit,
    series: [
      {
        name: text.column,
        values,
        texts: values.map((value) =>
          value === null ? words.figures.nothing : percentage(words, value),
        ),
      },
    ],
  };
}

function time(words: Words, axis: Axis, steps: Steps, totals: readonly Total[]): Figure {
  const { time: text, noneCompleted, seconds } = words.figures;
  const all = timesOf(totals);
  const ofSteps = steps.map(timesOf);
  const line = (share: keyof Times, percent: number): FigureSeries => ({
    name: text.within(words.units.percent(shownCount(words, percent))),
    values: ofSteps.map((times) => (times === null ? null : times[share] / 1_000)),
    texts: ofSteps.map((times) =>
      times === null ? words.figures.nothing : duration(words, times[share]),
    ),
  });
  return {
    name: 'time',
    title: text.title,
    summary: all ? text.summary(duration(words, all.p50), duration(words, all.p99)) : noneCompleted,
    kind: 'lines',
    ...axis,
    unit: seconds,
    series: [line('p50', 50), line('p90', 90), line('p99', 99)],
  };
}

function reasons(words: Words, totals: readonly Total[]): Figure {
  const { reasons: text, payments } = words.figures;
  const found = named(totals, 'reason');
  const [first] = found;
  const wordOf = (reason: string): string => wordFor(words.reasons, reason);
  return {
    name: 'reasons',
    title: text.title,
    summary: first ? text.summary(wordOf(first[0])) : text.none,
    kind: 'bars',
    labels: found.map(([reason]) => wordOf(reason)),
    labelName: text.column,
    series: [counted(words, payments, found)],
  };
}

function sources(words: Words, totals: readonly Total[]): Figure {
  const { sources: text, results, noneCompleted } = words.figures;
  const found = named(totals, 'source');
  const [first] = found;
  const wordOf = (via: string): string => wordFor(words.sources, via);
  return {
    name: 'sources',
    title: text.title,
    summary: first ? text.summary(wordOf(first[0])) : noneCompleted,
    kind: 'bars',
    labels: found.map(([via]) => wordOf(via)),
    labelName: text.column,
    series: [counted(words, results, found)],
  };
}

/** The average number of deliveries per minute in each step. */
function deliveries(words: Words, axis: Axis, steps: Steps, { boundaries }: Period): Figure {
  const { deliveries: text } = words.figures;
  const sums = steps.map((step) =>
    step.reduce((sum, { measure, count }) => sum + (measure === 'delivery' ? count : 0), 0),
  );
  const values = sums.map((sum, index) => {
    const [start, end] = boundaries.slice(index, index + 2) as [Date, Date];
    return sum / ((end.getTime() - start.getTime()) / 60_000);
  });
  const all = sums.reduce((sum, value) => sum + value, 0);
  return {
    name: 'deliveries',
    title: text.title,
    summary: text.summary(all, perMinute(words, Math.max(0, ...values))),
    kind: 'lines',
    ...axis,
    series: [{ name: text.column, values, texts: values.map((value) => perMinute(words, value)) }],
  };
}

function sumOf(totals: readonly Total[], currency: string): Sums | undefined {
  return sumsByCurrency(totals).find((sums) => sums.currency === currency);
}

/** Counts of payments add up over currencies, and money does not. */
function inAllCurrencies(totals: readonly Total[]): Sums {
  return sumsBy(totals, () => 'all').get('all') ?? nothing('');
}

/** The counts of payments by name, the largest first. */
function named(totals: readonly Total[], wanted: 'reason' | 'source'): [string, number][] {
  const counts = new Map<string, number>();
  for (const { measure, kind, name, count } of totals) {
    if (measure === wanted && kind === 'payment') counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return [...counts]
    .filter(([, count]) => count > 0)
    .sort(([a, one], [b, other]) => other - one || a.localeCompare(b));
}

function counted(words: Words, name: string, found: readonly [string, number][]): FigureSeries {
  const values = found.map(([, count]) => count);
  return { name, values, texts: values.map((value) => shownCount(words, value)) };
}

function perMinute(words: Words, value: number): string {
  return value >= 10 || Number.isInteger(value)
    ? shownCount(words, Math.round(value))
    : decimal(words, value);
}
