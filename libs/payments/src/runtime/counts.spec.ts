import { describe, expect, it } from '@jest/globals';
import { Counts } from './per-account.js';

describe('counts', () => {
  it('are kept by name', () => {
    const counts = new Counts();
    counts.add('one');
    counts.add('one');
    counts.add('other');
    counts.remove('one');
    expect([counts.count('one'), counts.count('other'), counts.count('none')]).toEqual([1, 1, 0]);
  });

  it('are never less than 0', () => {
    const counts = new Counts();
    counts.remove('one');
    counts.add('one');
    expect(counts.count('one')).toBe(1);
  });
});
