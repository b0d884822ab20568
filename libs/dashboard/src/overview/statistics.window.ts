import type { TimeFormat } from '../html/time.format.js';
import { DashboardProblem } from '../web/dashboard.problem.js';
import type { LinkQuery } from '../web/visit.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Longest window that is counted: every payment of it is looked at. */
const LONGEST = 92 * DAY;

/** Points that a chart over time is drawn with, at most. */
const MOST_POINTS = 60;

export const WINDOWS = [
  { name: '1h', label: 'Last hour', ms: HOUR },
  { name: '24h', label: '24 hours', ms: DAY },
  { name: '7d', label: '7 days', ms: 7 * DAY },
  { name: '30d', label: '30 days', ms: 30 * DAY },
] as const;

/** A stretch of time that is counted. */
export interface StatisticsWindow {
  /** Of the choices that move with the clock; null for one between two given times. */
  name: string | null;
  from: Date;
  to: Date;
  /** As an address says it. */
  query: LinkQuery;
}

/** @throws DashboardProblem 400 when what is asked for is no window */
export function readWindow(query: URLSearchParams, times: TimeFormat, now: Date): StatisticsWindow {
  const from = query.get('from')?.trim() ?? '';
  const to = query.get('to')?.trim() ?? '';
  if (from !== '' || to !== '') return between(from, to, times, now);
  const asked = query.get('window') || '24h';
  const window = WINDOWS.find(({ name }) => name === asked);
  if (!window) throw wrong('The window is 1h, 24h, 7d or 30d, or two times.');
  const { name, ms } = window;
  return { name, from: new Date(now.getTime() - ms), to: now, query: { window: name } };
}

function between(from: string, to: string, times: TimeFormat, now: Date): StatisticsWindow {
  const start = times.fromField(from);
  const end = to === '' ? now : times.fromField(to);
  if (!start || !end) throw wrong('A time is written as 2026-11-21T14:05, or 2026-11-21.');
  if (start >= end) throw wrong('The window ends before it begins.');
  if (end.getTime() - start.getTime() > LONGEST) {
    throw wrong('The window is longer than 92 days: every payment of it would have to be counted.');
  }
  return { name: null, from: start, to: end, query: { from, ...(to !== '' && { to }) } };
}

function wrong(text: string): DashboardProblem {
  return new DashboardProblem(400, 'That is no window of time', text);
}

const STEPS = [1, 5, 10, 15, 30, 60, 180, 360, 720, 1_440, 2_880].map(
  (minutes) => minutes * MINUTE,
);

/** How much time one point of a chart stands for. */
export function stepOf({ from, to }: StatisticsWindow): number {
  const length = to.getTime() - from.getTime();
  return STEPS.find((step) => length / step <= MOST_POINTS) ?? (STEPS.at(-1) as number);
}
