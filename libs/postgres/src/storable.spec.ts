import { describe, expect, it } from '@jest/globals';
import { hashOf, storableHash, storableJson, storableText, storableTime } from './storable.js';

describe('a value for PostgreSQL', () => {
  it('has U+0000 and halves of surrogate pairs replaced in text', () => {
    expect(storableText('a\0b\ud83d!\ude00')).toBe('a␀b\ufffd!\ufffd');
    expect(storableText('plain, 😀, ␀')).toBe('plain, 😀, ␀');
  });

  it('has U+0000 and halves of surrogate pairs replaced in JSON, in values and keys at any depth', () => {
    const value = { 'k\0': ['\ud83d', { deep: 'x\0y' }], n: 1, none: null, yes: true, '😀': '😀' };
    expect(JSON.parse(storableJson(value))).toEqual({
      'k␀': ['\ufffd', { deep: 'x␀y' }],
      n: 1,
      none: null,
      yes: true,
      '😀': '😀',
    });
  });

  it('keeps text that only looks like an escape sequence', () => {
    const value = { text: 'a backslash before \\u0000 and \\ud83d' };
    expect(JSON.parse(storableJson(value))).toEqual(value);
  });

  it('is JSON for an array, and null for undefined', () => {
    expect(storableJson(['a'])).toBe('["a"]');
    expect(storableJson(undefined)).toBe('null');
  });

  it('is null for a time outside the calendar', () => {
    expect(storableTime(new Date(Number.NaN))).toBeNull();
    expect(storableTime(new Date(8.64e15))).toBeNull();
    expect(storableTime(new Date(-8.64e15))).toBeNull();
    expect(storableTime(null)).toBeNull();
    expect(storableTime(new Date(1_700_000_000_123))).toBe(1_700_000_000_123);
  });
});

it('a hash of several texts differs when a letter moves from one text to the next', () => {
  expect(hashOf('a', 'bc')).not.toBe(hashOf('ab', 'c'));
  expect(hashOf('a\0')).not.toBe(hashOf('a␀'));
});

it('a hash stays unchanged, and any other text is hashed', () => {
  const hash = hashOf('a');
  expect(storableHash(hash)).toBe(hash);
  expect(storableHash('x'.repeat(100_000))).toMatch(/^[0-9a-f]{64}$/);
  expect(storableHash('')).not.toBe(storableHash('x'));
});
