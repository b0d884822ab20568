import { QUARTER_MS, quarterOf } from '@tillkit/payments/internal/store';
import type { TimeFormat } from '../html/time.format.js';
import { PageError } from '../web/page.errors.js';
import type { LinkQuery } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The longest period: a leap year. */
const MAX_DAYS = 366;

/** In a period of at most this many days, a step is an hour. */
const MOST_DAYS_BY_HOUR = 2;

const DATE = /^\d{4}-\d{2}-\d{2}$/;

export const PERIODS = ['today', 'yesterday', '7d', '30d', 'month'] as const;

export type PeriodName = (typeof PERIODS)[number];

/** Days in the time zone of the viewer, and as many days before them to compare with. */
export interface Period {
  /** Null when the days were chosen one by one. */
  name: PeriodName | null;
  /** First and last day: `2026-11-21`. */
  firstDay: string;
  lastDay: string;
  /** The beginnings of its hours or days, and the end of the last one. A day that is not over ends with the present quarter of an hour. */
  boundaries: readonly Date[];
  /** The time before, from and until, to compare with. We only need its sum. */
  before: readonly [from: Date, until: Date];
  /** Milliseconds of a step. */
  stepMs: number;
  /** The query parameters that select it. */
  query: LinkQuery;
}

/**
 * Reads the parameters `period`, or `from` and `to`, which are days and both included.
 * @throws PageError 400 for an invalid period
 */
export function readPeriod(
  parameters: URLSearchParams,
  times: TimeFormat,
  now: Date,
  fallback: PeriodName = '7d',
): Period {
  const from = parameters.get('from')?.trim() ?? '';
  const to = parameters.get('to')?.trim() ?? '';
  if (from !== '' || to !== '') return chosen(from, to || dayOf(times, now), times, now);
  const wanted = parameters.get('period') || fallback;
  const name = PERIODS.find((each) => each === wanted);
  if (!name) throw invalid(WORDS.errors.period.names);
  const [first, last] = daysOf(name, dayOf(times, now));
  return periodOf(name, first, last, times, now, { period: name });
}

/** Returns the day of a time in the time zone. */
export function dayOf(times: TimeFormat, at: Date): string {
  return times.toField(at).slice(0, 10);
}

/** Returns the day so many days later. */
export function dayAfter(day: string, days = 1): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}

function daysOf(name: PeriodName, today: string): [first: string, last: string] {
  switch (name) {
    case 'today':
      return [today, today];
    case 'yesterday':
      return [dayAfter(today, -1), dayAfter(today, -1)];
    case '7d':
      return [dayAfter(today, -6), today];
    case '30d':
      return [dayAfter(today, -29), today];
    case 'month':
      return [`${today.slice(0, 8)}01`, today];
  }
}

function chosen(from: string, to: string, times: TimeFormat, now: Date): Period {
  if (![from, to].every((day) => DATE.test(day) && times.fromField(day)))
    throw invalid(WORDS.errors.period.days);
  if (from > to) throw invalid(WORDS.errors.period.order);
  if (dayAfter(from, MAX_DAYS) <= to) throw invalid(WORDS.errors.period.tooLong(MAX_DAYS));
  return periodOf(null, from, to, times, now, { from, to });
}

function periodOf(
  name: PeriodName | null,
  firstDay: string,
  lastDay: string,
  times: TimeFormat,
  now: Date,
  query: LinkQuery,
): Period {
  const starts: Date[] = [];
  for (let day = firstDay; day <= lastDay; day = dayAfter(day)) starts.push(startOf(times, day));
  const from = starts[0] as Date;
  const midnight = startOf(times, dayAfter(lastDay));
  const soon = new Date(quarterOf(now).getTime() + QUARTER_MS);
  // A day in the future is empty, but it has an end too.
  const to = soon > from && soon < midnight ? soon : midnight;
  const stepMs = starts.length <= MOST_DAYS_BY_HOUR ? HOUR : DAY;
  const steps = stepMs === HOUR ? hoursBetween(from, to) : starts;
  const boundaries = [...steps.filter((start) => start < to), to];
  // The last day before is as long as the last day is so far. A day has 23 or 25 hours when the clock changes, so we make sure that it does
  // not reach into the period. That money would count twice.
  const start = startOf(times, dayAfter(firstDay, -starts.length));
  const isOver = to.getTime() === midnight.getTime();
  const asLong = start.getTime() + (to.getTime() - from.getTime());
  const end = isOver ? from : new Date(Math.min(asLong, from.getTime()));
  return { name, firstDay, lastDay, boundaries, before: [start, end], stepMs, query };
}

function startOf(times: TimeFormat, day: string): Date {
  return times.fromField(day) as Date;
}

function hoursBetween(from: Date, to: Date): Date[] {
  const count = Math.ceil((to.getTime() - from.getTime()) / HOUR);
  return Array.from({ length: count }, (_, index) => new Date(from.getTime() + index * HOUR));
}

function invalid(text: string): PageError {
  return new PageError(400, { title: WORDS.errors.period.title, text });
}
