import { describe, expect, it } from '@jest/globals';
import { duration, TimeFormat } from './time.format.js';

describe('A time', () => {
  const at = new Date('2026-11-21T14:05:09.123Z');

  it.each([
    ['UTC', '21 Nov 2026, 14:05:09', '2026-11-21T14:05'],
    ['Africa/Nairobi', '21 Nov 2026, 17:05:09', '2026-11-21T17:05'],
    ['Asia/Kathmandu', '21 Nov 2026, 19:50:09', '2026-11-21T19:50'],
  ])('is shown and read in %s', (timeZone, words, field) => {
    const times = new TimeFormat(timeZone);
    expect(times.show(at).toString()).toBe(
      `<time datetime="2026-11-21T14:05:09.123Z">${words}</time>`,
    );
    expect(times.toField(at)).toBe(field);
    expect(times.fromField(field)).toEqual(new Date('2026-11-21T14:05:00Z'));
  });

  it('is read correctly before and after a change to or from summer time', () => {
    const times = new TimeFormat('Europe/Berlin');
    expect(times.fromField('2026-03-29T01:30')).toEqual(new Date('2026-03-29T00:30:00Z'));
    expect(times.fromField('2026-03-29T03:30')).toEqual(new Date('2026-03-29T01:30:00Z'));
    expect(times.fromField('2026-10-25')).toEqual(new Date('2026-10-24T22:00:00Z'));
    expect(times.fromField('2026-10-26')).toEqual(new Date('2026-10-25T23:00:00Z'));
  });

  it.each([
    '',
    'now',
    '2026-02-30',
    '2026-13-01',
    '2026-01-01T25:00',
    '2026-01-01T10:75',
    '21/11/2026',
  ])('is not read from the invalid text %j', (field) => {
    expect(new TimeFormat('UTC').fromField(field)).toBeNull();
  });

  it('of the platform that is invalid is shown unchanged', () => {
    const times = new TimeFormat('UTC');
    expect(times.showText('soon')).toBe('soon');
    expect(times.showText(null)).toBe('');
    expect(String(times.showText('2026-11-21T14:05:09.123Z'))).toContain('<time');
  });
});

describe('A duration', () => {
  it.each([
    [-5, '0 ms'],
    [340, '340 ms'],
    [999.6, '1.0 s'],
    [59_999, '59.9 s'],
    [60_000, '1 min'],
    [200_000, '3 min 20 s'],
    [3_600_000, '1 h'],
    [100_000_000, '1 d 3 h'],
  ])('of %i ms is %s', (ms, words) => {
    expect(duration(ms)).toBe(words);
  });
});
