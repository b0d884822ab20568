import { describe, expect, it } from '@jest/globals';
import { roughBytes } from './recent.js';

const MOST = 1_000_000;

describe('the rough size of a value', () => {
  it.each<[string, unknown, number]>([
    ['null', null, 32],
    ['undefined', undefined, 32],
    ['a number', 7, 32],
    ['a text of 1,000 characters', 'x'.repeat(1_000), 1_032],
    ['an object', { ab: 'cd' }, 32 + 2 + 32 + 2],
    ['a list', ['x', 'y'], 32 + 2 * (1 + 32 + 1)],
    ['objects in objects', { a: { b: ['c'] } }, 32 + (1 + 32) + (1 + 32) + (1 + 32 + 1)],
  ])('counts the texts, names and objects of %s', (_, value, bytes) => {
    expect(roughBytes(value, MOST)).toBe(bytes);
  });

  it('is more than is asked for, and looks at no more, when the value is larger', () => {
    const value = Array.from({ length: 100 }, () => 'x'.repeat(100));
    Object.defineProperty(value, 99, {
      enumerable: true,
      get: () => {
        throw new Error('it looked at everything');
      },
    });
    expect(roughBytes(value, 1_000)).toBeGreaterThan(1_000);
  });

  it('is more than is asked for when the value contains itself', () => {
    const value: Record<string, unknown> = {};
    value['itself'] = value;
    expect(roughBytes(value, MOST)).toBeGreaterThan(MOST);
  });
});
