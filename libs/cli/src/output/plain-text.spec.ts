import { describe, expect, it } from '@jest/globals';
import { plainJson, plainLines, plainText } from './plain-text.js';

describe('A text from outside', () => {
  it('carries no character that a terminal obeys or that changes its direction', () => {
    expect(plainText('a\u001b[31mred\u0007\r\n\u202edesrever\u009b')).toBe(
      'a<U+001B>[31mred<U+0007><U+000D><U+000A><U+202E>desrever<U+009B>',
    );
    expect(plainLines('one\ntwo\u001b')).toBe('one\ntwo<U+001B>');
  });

  it('keeps letters of every script, and emoji', () => {
    const text = 'Asante sana \u{1f469}\u200d\u{1f52c} नमस्ते';
    expect(plainText(text)).toBe(text);
  });

  it('is the same value in JSON, with escapes', () => {
    const value = { text: 'a\u001b\u007f\u202e\u2028\u{e0001}' };
    const json = plainJson(value, 2);
    expect(json).not.toMatch(/[\u007f\u202e\u2028]|\u{e0001}/u);
    expect(JSON.parse(json)).toEqual(value);
  });
});
