import type { TimeFormat } from '../html/time.format.js';
import { WORDS } from '../words/english.words.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
export const MAX_DAYS = 31;

export interface ReconciliationInput {
  from: string;
  to: string;
  window: { from: Date; to: Date } | null;
  problem: string | null;
}

/** Returns the last 24 hours. The end is rounded up to the next minute, because the fields have no seconds. */
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
  const { tooLong } = WORDS.problems;
  if (!from || !to) return 'Enter both times, as 2026-11-21T14:05 or 2026-11-21.';
  if (from >= to) return 'The end must be later than the beginning.';
  return to.getTime() - from.getTime() > MAX_DAYS * DAY ? tooLong(MAX_DAYS) : null;
}
