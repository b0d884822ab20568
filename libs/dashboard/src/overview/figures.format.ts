import type { Total } from '@tillkit/payments/internal/store';
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
import { WORDS } from '../words/english.words.js';
import { wordFor } from '../words/word.format.js';
import type { Visit } from '../web/visit.dto.js';
import type { Figure, FigureSeries } from './figure.dto.js';

const HOUR = 3_600_000;

/** The totals of each step of a period. */
type Steps = readonly (readonly Total[])[];

/** Returns all charts of the overview. */
export function figuresOf(visit: Visit, period: Period, totals: readonly Total[]): Figure[] {
  const steps: Total[][] = period.boundaries.slice(1).map(() => []);
  for (const total of totals) steps[total.span]?.push(total);
  const axis = axisOf(visit, period);
  return [
    volume(axis, steps, totals),
    rate(axis, steps, totals),
    time(axis, steps, totals),
    reasons(totals),
    sources(totals),
    deliveries(axis, steps, period),
  ];
}

type Axis = Pick<Figure, 'labels' | 'ticks' | 'labelName'>;

/** Returns the steps of the period: hours or days. */
function axisOf({ times }: Visit, { boundaries, stepMs }: Period): Axis {
  const starts = boundaries.slice(0, -1).map((start) => times.toField(start).replace('T', ' '));
  const isHours = stepMs === HOUR;
  return {
    labels: isHours ? starts : starts.map((start) => start.slice(0, 10)),
    ticks: starts.map((start) => (isHours ? start.slice(11) : start.slice(5, 10))),
    labelName: isHours ? 'Hour' : 'Day',
  };
}

/** Returns the money of the paid payments and payment links, in the currency of most payments, because two currencies have no common axis. */
function volume(axis: Axis, steps: Steps, totals: readonly Total[]): Figure {
  const [main] = sumsByCurrency(totals);
  const currency = main?.currency ?? '';
  const values = steps.map((step) => sumOf(step, currency)?.volume ?? 0n);
  const shown = (minor: bigint): string =>
    `${currency} ${formatMoney(minorText(minor, currency), currency)}`;
  return {
    name: 'volume',
    title: 'Volume',
    summary: main ? `${shown(main.volume)} in all.` : 'No payment of this period is paid yet.',
    kind: 'columns',
    ...axis,
    unit: currency,
    series: [
      {
        name: 'Volume',
        values: values.map((minor) => Number(minorText(minor, currency))),
        texts: values.map(shown),
      },
    ],
  };
}

function rate(axis: Axis, steps: Steps, totals: readonly Total[]): Figure {
  const { noneCompleted } = WORDS.figures;
  const rateOf = (some: readonly Total[]): number | null =>
    successRate(inAllCurrencies(withoutLinks(some)));
  const all = rateOf(totals);
  const values = steps.map(rateOf);
  return {
    name: 'rate',
    title: 'Success rate',
    summary:
      all === null ? noneCompleted : `${percentage(all)} of the completed payments are paid.`,
    kind: 'lines',
    ...axis,
    unit: '%',
    series: [
      {
        name: 'Success rate',
        values,
        texts: values.map((value) => (value === null ? WORDS.figures.nothing : percentage(value))),
      },
    ],
  };
}

function time(axis: Axis, steps: Steps, totals: readonly Total[]): Figure {
  const { noneCompleted } = WORDS.figures;
  const all = timesOf(totals);
  const ofSteps = steps.map(timesOf);
  const line = (share: keyof Times, percent: number): FigureSeries => ({
    name: `${WORDS.units.percent(shownCount(percent))} within`,
    values: ofSteps.map((times) => (times === null ? null : times[share] / 1_000)),
    texts: ofSteps.map((times) =>
      times === null ? WORDS.figures.nothing : duration(times[share]),
    ),
  });
  return {
    name: 'time',
    title: 'Time to complete',
    summary: all
      ? `Half of the payments were completed within ${duration(all.p50)}, 99 % within ${duration(all.p99)}.`
      : noneCompleted,
    kind: 'lines',
    ...axis,
    unit: 'seconds',
    series: [line('p50', 50), line('p90', 90), line('p99', 99)],
  };
}

function reasons(totals: readonly Total[]): Figure {
  const found = named(totals, 'reason');
  const [first] = found;
  const wordOf = (reason: string): string => wordFor(WORDS.reasons, reason);
  return {
    name: 'reasons',
    title: 'Why payments failed',
    summary: first ? `Most often: ${wordOf(first[0])}.` : 'No payment of this period failed.',
    kind: 'bars',
    labels: found.map(([reason]) => wordOf(reason)),
    labelName: 'Reason',
    series: [counted('Payments', found)],
  };
}

function sources(totals: readonly Total[]): Figure {
  const { noneCompleted } = WORDS.figures;
  const found = named(totals, 'source');
  const [first] = found;
  const wordOf = (via: string): string => wordFor(WORDS.sources, via);
  return {
    name: 'sources',
    title: 'Source of result',
    summary: first ? `Most often by ${wordOf(first[0])}.` : noneCompleted,
    kind: 'bars',
    labels: found.map(([via]) => wordOf(via)),
    labelName: 'Source',
    series: [counted('Results', found)],
  };
}

/** Returns the average number of deliveries per minute in each step. */
function deliveries(axis: Axis, steps: Steps, { boundaries }: Period): Figure {
  const { deliveries: text } = WORDS.figures;
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
    title: 'Deliveries per minute',
    summary: text.summary(all, perMinute(Math.max(0, ...values))),
    kind: 'lines',
    ...axis,
    series: [{ name: 'Per minute', values, texts: values.map((value) => perMinute(value)) }],
  };
}

function sumOf(totals: readonly Total[], currency: string): Sums | undefined {
  return sumsByCurrency(totals).find((sums) => sums.currency === currency);
}

/** Counts of payments can be added over currencies. Money cannot. */
function inAllCurrencies(totals: readonly Total[]): Sums {
  return sumsBy(totals, () => 'all').get('all') ?? nothing('');
}

/** Returns the counts of payments by name, the largest first. */
function named(totals: readonly Total[], wanted: 'reason' | 'source'): [string, number][] {
  const counts = new Map<string, number>();
  for (const { measure, kind, name, count } of totals) {
    if (measure === wanted && kind === 'payment') counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return [...counts]
    .filter(([, count]) => count > 0)
    .sort(([a, one], [b, other]) => other - one || a.localeCompare(b));
}

function counted(name: string, found: readonly [string, number][]): FigureSeries {
  const values = found.map(([, count]) => count);
  return { name, values, texts: values.map((value) => shownCount(value)) };
}

function perMinute(value: number): string {
  return value >= 10 || Number.isInteger(value) ? shownCount(Math.round(value)) : decimal(value);
}
