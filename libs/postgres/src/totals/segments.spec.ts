import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { segmentsOf } from './segments.js';

const MINUTE = 60_000;
const time = fc.date({
  min: new Date('2026-01-01'),
  max: new Date('2026-03-01'),
  noInvalidDate: true,
});

const quarterFrom = (at: Date): number => Math.ceil(at.getTime() / (15 * MINUTE)) * 15 * MINUTE;

describe('The segments of totals', () => {
  it('cover each span once, from its first quarter of an hour to the next span', () => {
    fc.assert(
      fc.property(fc.array(time, { maxLength: 6 }), (unsorted) => {
        const boundaries = unsorted.toSorted((one, other) => one.getTime() - other.getTime());
        const segments = segmentsOf(boundaries);
        for (let span = 0; span + 1 < boundaries.length; span += 1) {
          let at = quarterFrom(boundaries[span]!);
          for (const segment of segments.filter((one) => one.span === span)) {
            expect(segment.from).toBe(at);
            expect(segment.until).toBeGreaterThan(segment.from);
            at = segment.until;
          }
          expect(at).toBe(quarterFrom(boundaries[span + 1]!));
        }
        expect(segments.every(({ span }) => span < boundaries.length - 1)).toBe(true);
      }),
    );
  });

  it('begin and end where totals of their length do', () => {
    fc.assert(
      fc.property(time, time, (from, until) => {
        for (const segment of segmentsOf([from, until]))
          expect(
            [segment.from, segment.until].map((at) => at % (segment.minutes * MINUTE)),
          ).toEqual([0, 0]);
      }),
    );
  });

  it('take days where a span has them, then hours, then quarters', () => {
    const [from, until] = [new Date('2026-01-20T21:10:00Z'), new Date('2026-01-23T01:30:00Z')];
    const lengths = segmentsOf([from, until]).map(({ minutes, from: at, until: to }) => [
      minutes,
      (to - at) / MINUTE,
    ]);
    expect(lengths).toEqual([
      [15, 45],
      [60, 120],
      [1_440, 2_880],
      [60, 60],
      [15, 30],
    ]);
  });

  it('are hours for a day in Nairobi, which holds no whole day in UTC', () => {
    const day = [new Date('2026-01-20T21:00:00Z'), new Date('2026-01-21T21:00:00Z')];
    expect(segmentsOf(day)).toEqual([
      { span: 0, minutes: 60, from: day[0]!.getTime(), until: day[1]!.getTime() },
    ]);
  });

  it('are none without a span', () => {
    expect(segmentsOf([])).toEqual([]);
    expect(segmentsOf([new Date()])).toEqual([]);
  });
});
