import { describe, expect, it } from '@jest/globals';
import { TimeFormat } from '../html/time.format.js';
import type { PageError } from '../web/page.errors.js';
import { readPeriod, type Period } from './period.dto.js';

const NAIROBI = new TimeFormat('Africa/Nairobi');
const BERLIN = new TimeFormat('Europe/Berlin');

/** It is 17:05 in Nairobi then. */
const NOW = new Date('2026-11-21T14:05:09Z');

const read = (query: string, times = NAIROBI, now = NOW): Period =>
  readPeriod(new URLSearchParams(query), times, now);

const iso = (times: readonly Date[]): string[] => times.map((time) => time.toISOString());

describe('A period', () => {
  it('of today has hours from midnight in the time zone to the end of the present quarter', () => {
    const { boundaries, before, firstDay, lastDay } = read('period=today');
    expect([firstDay, lastDay]).toEqual(['2026-11-21', '2026-11-21']);
    expect(boundaries).toHaveLength(19);
    expect(boundaries[0]).toEqual(new Date('2026-11-20T21:00:00Z'));
    expect(boundaries.at(-2)).toEqual(new Date('2026-11-21T14:00:00Z'));
    expect(boundaries.at(-1)).toEqual(new Date('2026-11-21T14:15:00Z'));
    expect(before[1]).toEqual(new Date('2026-11-20T14:15:00Z'));
  });

  it('of yesterday is the whole day', () => {
    const { boundaries } = read('period=yesterday');
    expect(boundaries).toHaveLength(25);
    expect(boundaries.at(-1)).toEqual(new Date('2026-11-20T21:00:00Z'));
  });

  it('of several days has days, and the days before to compare with', () => {
    const { boundaries, before, stepMs } = read('from=2026-11-18&to=2026-11-20');
    expect(iso(boundaries)).toEqual(
      ['17', '18', '19', '20'].map((day) => `2026-11-${day}T21:00:00.000Z`),
    );
    expect(iso(before)).toEqual(['14', '17'].map((day) => `2026-11-${day}T21:00:00.000Z`));
    expect(stepMs).toBe(86_400_000);
  });

  it.each([
    ['7d', '2026-11-15'],
    ['30d', '2026-10-23'],
    ['month', '2026-11-01'],
  ])('with the name %s begins on %s and ends today', (name, first) => {
    const { firstDay, lastDay } = read(`period=${name}`);
    expect([firstDay, lastDay]).toEqual([first, '2026-11-21']);
  });

  it('begins its days at midnight also when the clock changes', () => {
    const { boundaries } = read('from=2026-10-24&to=2026-10-26', BERLIN);
    expect(iso(boundaries)).toEqual([
      '2026-10-23T22:00:00.000Z',
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
      '2026-10-26T23:00:00.000Z',
    ]);
    const long = read('from=2026-10-25&to=2026-10-25', BERLIN, new Date('2026-12-01'));
    expect(long.boundaries).toHaveLength(26);
  });

  it('is compared with whole days before it also when the clock changes', () => {
    const { before } = read('from=2026-03-30&to=2026-03-30', BERLIN, new Date('2026-12-01'));
    expect(iso(before)).toEqual(['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z']);
  });

  it('begins a day that has no midnight at the first moment of that day', () => {
    const santiago = new TimeFormat('America/Santiago');
    const { boundaries } = read('from=2026-09-06&to=2026-09-06', santiago, new Date('2026-12-01'));
    expect(boundaries[0]).toEqual(new Date('2026-09-06T04:00:00Z'));
    expect(boundaries.at(-1)).toEqual(new Date('2026-09-07T03:00:00Z'));
  });

  it('in the future has an end, too', () => {
    const { boundaries } = read('from=2026-12-01&to=2026-12-02');
    expect(boundaries.at(-1)).toEqual(new Date('2026-12-02T21:00:00Z'));
  });

  it('never overlaps the time before', () => {
    for (const query of ['period=today', 'period=7d', 'period=month', 'from=2026-11-20']) {
      const { boundaries, before } = read(query);
      const [from, until] = before;
      expect(until.getTime()).toBeLessThanOrEqual(boundaries[0]!.getTime());
      expect(until.getTime() - from.getTime()).toBe(
        boundaries.at(-1)!.getTime() - boundaries[0]!.getTime(),
      );
    }
  });

  it.each([
    ['Europe/London', '2026-10-25T23:30:00Z', 'period=today'],
    ['Europe/London', '2026-10-28T23:30:00Z', 'period=7d'],
    ['America/St_Johns', '2026-11-02T02:50:00Z', 'period=today'],
    ['Africa/Cairo', '2026-10-31T21:20:00Z', 'period=7d'],
  ])('never overlaps the time before when the clock was set back: %s at %s', (zone, now, query) => {
    const { boundaries, before } = read(query, new TimeFormat(zone), new Date(now));
    const all = iso([...before, ...boundaries]);
    expect(all).toEqual(all.toSorted());
  });

  it.each([
    ['period=week', 'Choose today'],
    ['from=21/11/2026', 'Write a day as'],
    ['from=2026-02-30', 'Write a day as'],
    ['from=2026-11-20&to=2026-11-19', 'must not be before'],
    ['from=2025-11-20&to=2026-11-21', 'longer than 366 days'],
  ])('is not read from %s', (query, problem) => {
    let text = '';
    try {
      read(query);
    } catch (error) {
      ({ text } = (error as PageError).text);
    }
    expect(text).toContain(problem);
  });
});
