import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../../test/support/thorough.js';
import { withoutFormulas } from './formula.format.js';

/** Matches each place where a formula could begin. It is easy to read, but its time grows with the square of the length. */
const MEANT = /(?<=^|[;,|\t\r\n])(?=[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/gu;

describe('A text in a spreadsheet', () => {
  it('has an apostrophe wherever a formula could begin, and is the same otherwise', () => {
    const pieces = fc.constantFrom(...';,|\t\r\n "=+-@\uff1d\uff0b\uff0d\uff20a1\u00a0\u2028😀');
    fc.assert(
      fc.property(fc.string({ unit: pieces, maxLength: 30 }), (text) => {
        expect(withoutFormulas(text)).toBe(text.replace(MEANT, `'`));
      }),
      { numRuns: runs(5_000) },
    );
  });

  it.each([
    ['line breaks', '\n'],
    ['spaces', ' '],
    ['separators', ';'],
    ['quotes', '"'],
  ])('is read once, so that a megabyte of %s does not stop the process', (_, piece) => {
    // Reading ahead from each character would take half a million steps for each of them, which is many minutes.
    const text = piece.repeat(1_000_000);
    expect(withoutFormulas(text) === text).toBe(true);
    expect(withoutFormulas(`${text}=1`).endsWith('=1')).toBe(true);
  });
});
