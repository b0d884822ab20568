import { describe, expect, it } from '@jest/globals';
import { readCursor } from './query-conditions.js';

describe('A cursor', () => {
  it.each(['1767225600123456', '-210866803200000000', '999999999999999999'])(
    'has a time of the calendar of PostgreSQL: %s',
    (microseconds) => {
      expect(readCursor(`${microseconds} a name\n`)).toEqual({ microseconds, name: 'a name\n' });
    },
  );

  it.each(['garbage', '1', ' x', '1.5 x', '-999999999999999999 x', '-210866803200000001 x'])(
    'is invalid without one: %j',
    (text) => {
      expect(readCursor(text)).toBeUndefined();
    },
  );
});
