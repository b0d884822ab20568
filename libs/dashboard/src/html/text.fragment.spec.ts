import { describe, expect, it } from '@jest/globals';
import { html } from '@tillkit/pages';
import { listing, plainText, text } from './text.fragment.js';

describe('words of strangers', () => {
  it('are escaped, and end their own direction with them', () => {
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
  ])('show in %j what nobody could see', (given, shown) => {
    expect(plainText(given)).toBe(shown);
  });

  it('are cut, with their number', () => {
    expect(plainText('x'.repeat(10_000), 5)).toBe('xxxxx… 10,000 characters');
    expect(plainText('👩'.repeat(5), 5)).toBe('👩'.repeat(5));
    expect(plainText('👩'.repeat(6), 5)).toBe(`${'👩'.repeat(5)}… 12 characters`);
  });

  it('keep their lines in a listing, and nothing else', () => {
    expect(listing('a\n\tb\u202E<', 100).toString()).toContain('a\n\tb&lt;U+202E&gt;&lt;');
  });
});
