import { describe, expect, it } from '@jest/globals';
import { UsageError } from './command.errors.js';
import { time } from './option-readers.js';

const read = (text: string): Date =>
  time('--at <time>', 'when').parseArg!(text, undefined) as unknown as Date;

describe('An option that is a time', () => {
  it.each([
    ['2026-11-01T00:00:00+03:00', '2026-10-31T21:00:00.000Z'],
    ['2026-11-01T10:20:30.123456Z', '2026-11-01T10:20:30.123Z'],
    ['2026-11-01T10:20-03:30', '2026-11-01T13:50:00.000Z'],
    ['2028-02-29T23:59:59+14:00', '2028-02-29T09:59:59.000Z'],
    ['2027-01-01T00:30:00+03:00', '2026-12-31T21:30:00.000Z'],
  ])('reads %s', (text, utc) => {
    expect(read(text).toISOString()).toBe(utc);
  });

  it.each([
    '2026-02-29T00:00:00Z',
    '2026-02-30T00:00:00+03:00',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T10:60:00Z',
    '2026-01-01T10:00:60Z',
  ])('refuses %s, because there is no such time', (text) => {
    expect(() => read(text)).toThrow(UsageError);
    expect(() => read(text)).toThrow(
      /^--at must be a time that exists, and "2026-.*" does not: .* Write such as 2026-11-01T00:00:00\+03:00/,
    );
  });

  it.each([
    '11-05-2026',
    '01-11-2026',
    '2026-11-01',
    '2026-11-01T10:20:00',
    '2026-11-01 10:20:00Z',
    '2026-11-01T10:20:00+0300',
    '2026-11-01T10:20:00+03',
    '2026-11-01T10:20:00+15:00',
    '2026-11-01T10:20:00+03:60',
    '2026-11-01T10:20:00-00:00',
    '2026-11-01T10:20:00EAT',
    '2026-11-01T10:20:00Zulu',
    '+002026-11-01T10:20:00Z',
    '1 Nov 2026 10:20 +03:00',
    ' 2026-11-01T10:20:00Z',
    '1793521200000',
    '',
  ])('refuses "%s", and says what to write', (text) => {
    expect(() => read(text)).toThrow(UsageError);
    expect(() => read(text)).toThrow(
      /^--at must be an ISO 8601 time with a time zone, not ".*": write 2026-11-01T00:00:00\+03:00/,
    );
  });
});
