import { describe, expect, it } from '@jest/globals';
import { html } from '@tillkit/pages';
import { listing, plainText, text } from './text.fragment.js';

describe('A text from outside', () => {
  it('is escaped and cannot change the direction of the text after it', () => {
    expect(text('<script>').toString()).toBe('<bdi>&lt;script&gt;</bdi>');
    expect(html`<p title="${'"><b>'}">${['a', null, false, '<b>']}</p>`.toString()).toBe(
      '<p title="&quot;&gt;&lt;b&gt;">a&lt;b&gt;</p>',
    );
  });

  it.each([
    ['a\u202Eb', 'a<U+202E>b'],
    ['a\u0000b', 'a<U+0000>b'],
    ['a\u200Bb', 'a<U+200B>b'],
    ['a\nb', 'a<U+000A>b'],
    ['a\uD800b', 'a<U+D800>b'],
    ['👩\u200d🌾', '👩\u200d🌾'],
    ['ሰላም', 'ሰላም'],
  ])('has its invisible characters written out: %j', (given, shown) => {
    expect(plainText(given)).toBe(shown);
  });

  it('is cut and ends with the number of characters that are missing', () => {
    expect(plainText('x'.repeat(10_000), 5)).toBe('xxxxx… +9995');
    expect(plainText('👩'.repeat(5), 5)).toBe('👩'.repeat(5));
    expect(plainText('👩'.repeat(6), 5)).toBe(`${'👩'.repeat(5)}… +2`);
  });

  it('keeps only line breaks and tabs in a listing', () => {
    expect(listing('a\n\tb\u202E<', 100).toString()).toContain('a\n\tb&lt;U+202E&gt;&lt;');
  });
});
