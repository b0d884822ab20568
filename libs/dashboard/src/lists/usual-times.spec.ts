import { describe, expect, it } from '@jest/globals';
import { TimeFormat } from '../html/time.format.js';
import { usualTimes } from './usual-times.js';

describe('The usual times of a list', () => {
  it.each([
    ['after the clock was set back', 'Europe/London', '2026-10-25T23:30Z', '2026-10-24'],
    ['after the clock was set forward', 'Europe/London', '2027-03-28T23:30Z', '2027-03-28'],
    ['where midnight is left out', 'Africa/Cairo', '2026-04-24T22:30Z', '2026-04-24'],
    ['where the clock never changes', 'Africa/Nairobi', '2026-10-25T21:30Z', '2026-10-25'],
  ])('have exactly one day for yesterday, %s', (_, zone, now, day) => {
    const times = usualTimes(new TimeFormat(zone), new Date(now));
    const [today, yesterday] = times.map(({ from }) => from);
    expect(yesterday).toBe(day);
    expect(times[1]?.to).toBe(today);
    expect(Date.parse(today!) - Date.parse(yesterday!)).toBe(86_400_000);
  });

  it('have seven and thirty days, of which today is the last', () => {
    const times = usualTimes(new TimeFormat('Africa/Nairobi'), new Date('2026-03-05T12:00Z'));
    expect(times).toEqual([
      { name: 'today', from: '2026-03-05' },
      { name: 'yesterday', from: '2026-03-04', to: '2026-03-05' },
      { name: 'week', from: '2026-02-27' },
      { name: 'month', from: '2026-02-04' },
    ]);
  });
});
