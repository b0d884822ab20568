import { beforeEach, describe, expect, it } from '@jest/globals';
import { HeldBytes } from './recent.js';

const MB = 1_024 * 1_024;

describe('held bytes', () => {
  let held: HeldBytes;
  beforeEach(() => {
    held = new HeldBytes();
  });

  it('are at most 8 MB of one account, which leaves room for another one', () => {
    held.add('one', 5 * MB);
    expect([held.fits('one', 3 * MB), held.fits('one', 3 * MB + 1)]).toEqual([true, false]);
    expect(held.fits('two', 4 * MB)).toBe(true);
  });

  it('are at most 16 MB of all accounts', () => {
    held.add('one', 8 * MB);
    held.add('two', 7 * MB);
    expect([held.fits('two', MB), held.fits('two', MB + 1)]).toEqual([true, false]);
    held.add('two', 2 * MB);
    expect(held.fits('three', 1)).toBe(false);
  });

  it('may be more for the only piece of an account, however large it is', () => {
    expect(held.fits('one', 20 * MB)).toBe(true);
    held.add('one', 20 * MB);
    expect([held.fits('one', 0), held.fits('two', 0)]).toEqual([false, false]);
    held.remove('one', 20 * MB);
    expect([held.fits('one', 0), held.fits('two', 0)]).toEqual([true, true]);
  });

  it('leave room for fewer pieces when large ones come, and for more again after small ones', () => {
    expect(held.pieces).toBeGreaterThan(1_000_000);
    held.note(4 * MB);
    expect(held.pieces).toBe(4);
    held.add('one', 10 * MB);
    expect(held.pieces).toBe(1);
    held.add('two', 6 * MB);
    expect(held.pieces).toBe(0);
    held.remove('two', 6 * MB);
    for (let n = 0; n < 50; n += 1) held.note(1_000);
    expect(held.pieces).toBeGreaterThan(50);
  });
});
