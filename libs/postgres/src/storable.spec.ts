import { describe, expect, it } from '@jest/globals';
import { hashOf, storableHash, storableJson, storableText, storableTime } from './storable.js';

describe('what PostgreSQL cannot keep in text', () => {
  it('is shown instead: U+0000 and halves of surrogate pairs', () => {
    expect(storableText('a\0b\ud83d!\ude00')).toBe('a␀b\ufffd!\ufffd');
    expect(storableText('plain, 😀, ␀')).toBe('plain, 😀, ␀');
  });

  it('is shown instead in JSON, in values and in keys, however deep', () => {
    const value = { 'k\0': ['\ud83d', { deep: 'x\0y' }], n: 1, none: null, yes: true, '😀': '😀' };
    expect(JSON.parse(storableJson(value))).toEqual({
      'k␀': ['\ufffd', { deep: 'x␀y' }],
      n: 1,
      none: null,
      yes: true,
      '😀': '😀',
    });
  });

  it('is not mistaken for text that only looks like it', () => {
    const value = { text: 'a backslash before \\u0000 and \\ud83d' };
    expect(JSON.parse(storableJson(value))).toEqual(value);
  });

  it('writes an array as JSON, and nothing as null', () => {
    expect(storableJson(['a'])).toBe('["a"]');
    expect(storableJson(undefined)).toBe('null');
  });

  it('is a time no calendar has', () => {
    expect(storableTime(new Date(Number.NaN))).toBeNull();
    expect(storableTime(new Date(8.64e15))).toBeNull();
    expect(storableTime(new Date(-8.64e15))).toBeNull();
    expect(storableTime(null)).toBeNull();
    expect(storableTime(new Date(1_700_000_000_123))).toBe(1_700_000_000_123);
  });
});

it('hashes texts so that moving a letter from one to the next makes a difference', () => {
  expect(hashOf('a', 'bc')).not.toBe(hashOf('ab', 'c'));
  expect(hashOf('a\0')).not.toBe(hashOf('a␀'));
});

it('keeps a hash as it is, and makes one of what is none', () => {
  const hash = hashOf('a');
  expect(storableHash(hash)).toBe(hash);
  expect(storableHash('x'.repeat(100_000))).toMatch(/^[0-9a-f]{64}$/);
  expect(storableHash('')).not.toBe(storableHash('x'));
});
