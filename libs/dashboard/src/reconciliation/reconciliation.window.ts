import type { TimeFormat } from '../html/time.format.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
export const MOST_DAYS = 31;

export interface ReconciliationInput {
  from: string;
  to: string;
  window: { from: Date; to: Date } | null;
  problem: string | null;
}

/** The last day, until somebody says otherwise. Fields know no seconds: the minute that has begun is part of it. */
export function defaultInput(times: TimeFormat, now: Date): ReconciliationInput {
  const to = new Date(now.getTime() + MINUTE);
  const from = new Date(to.getTime() - DAY);
  return { from: times.toField(from), to: times.toField(to), window: null, problem: null };
}

export function readInput(fields: URLSearchParams, times: TimeFormat): ReconciliationInput {
  const from = fields.get('from')?.trim() ?? '';
  const to = fields.get('to')?.trim() ?? '';
  const start = times.fromField(from);
  const end = times.fromField(to);
  const problem = problemOf(start, end);
  const window = start && end && !problem ? { from: start, to: end } : null;
  return { from, to, window, problem };
}

function problemOf(from: Date | null, to: Date | null): string | null {
  if (!from || !to) return 'Both times are needed, written as 2026-11-21T14:05, or 2026-11-21.';
  if (from >= to) return 'The window ends before it begins.';
  return to.getTime() - from.getTime() > MOST_DAYS * DAY
    ? `The window is longer than ${MOST_DAYS} days: the platform is asked for each day of it.`
    : null;
}
