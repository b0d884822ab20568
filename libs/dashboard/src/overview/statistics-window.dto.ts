import type { TimeFormat } from '../html/time.format.js';
import type { Words } from '../words/english.words.js';
import { PageError } from '../web/page.errors.js';
import type { LinkQuery } from '../web/visit.dto.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The longest window. */
const MAX_DAYS = 92;

/** The maximum number of points of a chart over time. */
const MAX_POINTS = 60;

export const WINDOWS = [
  { name: '1h', ms: HOUR },
  { name: '24h', ms: DAY },
  { name: '7d', ms: 7 * DAY },
  { name: '30d', ms: 30 * DAY },
] as const;

/** The period that the statistics cover. */
export interface StatisticsWindow {
  /** Name of a window that ends now; null for a window between two given times. */
  name: string | null;
  from: Date;
  to: Date;
  /** The query parameters that select it. */
  query: LinkQuery;
}

/** @throws PageError 400 for an invalid window */
export function readWindow(query: URLSearchParams, times: TimeFormat, now: Date): StatisticsWindow {
  const from = query.get('from')?.trim() ?? '';
  const to = query.get('to')?.trim() ?? '';
  if (from !== '' || to !== '') return between(from, to, times, now);
  const wanted = query.get('window') || '24h';
  const window = WINDOWS.find(({ name }) => name === wanted);
  if (!window) throw invalid(({ errors }) => errors.window.choose);
  const { name, ms } = window;
  return { name, from: new Date(now.getTime() - ms), to: now, query: { window: name } };
}

function between(from: string, to: string, times: TimeFormat, now: Date): StatisticsWindow {
  const start = times.fromField(from);
  const end = to === '' ? now : times.fromField(to);
  if (!start || !end) throw invalid(({ problems }) => problems.time);
  if (start >= end) throw invalid(({ problems }) => problems.order);
  if (end.getTime() - start.getTime() > MAX_DAYS * DAY) {
    throw invalid(({ problems }) => problems.tooLong(MAX_DAYS));
  }
  return { name: null, from: start, to: end, query: { from, ...(to !== '' && { to }) } };
}

function invalid(textIn: (words: Words) => string): PageError {
  return new PageError(400, (words) => ({
    title: words.errors.window.title,
    text: textIn(words),
  }));
}

const STEPS = [15, 30, 60, 180, 360, 720, 1_440, 2_880].map((minutes) => minutes * MINUTE);

/** The length of time that one point of a chart covers, in milliseconds. */
export function stepOf({ from, to }: StatisticsWindow): number {
  const length = to.getTime() - from.getTime();
  return STEPS.find((step) => length / step <= MAX_POINTS) ?? (STEPS.at(-1) as number);
}

/** The beginnings of the steps of a window, and the end of the last. */
export function boundariesOf(window: StatisticsWindow): Date[] {
  const step = stepOf(window);
  const first = Math.floor(window.from.getTime() / step) * step;
  const steps = Math.ceil((window.to.getTime() - first) / step);
  return Array.from({ length: steps + 1 }, (_, index) => new Date(first + index * step));
}
