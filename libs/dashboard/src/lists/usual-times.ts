import type { TimeFormat } from '../html/time.format.js';
import { dayAfter, dayOf } from '../totals/period.dto.js';

/** A span of time that a list offers as a link. It begins with one day and ends before another. */
export interface UsualTime {
  name: 'today' | 'yesterday' | 'week' | 'month';
  from: string;
  to?: string;
}

/** Returns today and the days before it. A day has 23 or 25 hours when the clock changes. */
export function usualTimes(times: TimeFormat, now: Date): readonly UsualTime[] {
  const today = dayOf(times, now);
  return [
    { name: 'today', from: today },
    { name: 'yesterday', from: dayAfter(today, -1), to: today },
    { name: 'week', from: dayAfter(today, -6) },
    { name: 'month', from: dayAfter(today, -29) },
  ];
}
