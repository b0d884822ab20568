import { describe, expect, it } from '@jest/globals';
import { html } from '@tillkit/pages';
import { listing, plainMasked, plainText, text } from './text.fragment.js';

describe('A text from outside', () => {
  it('is escaped and cannot change the direction of the text after it', () => {
    expect(text('<script>').toString()).toBe('<bdi>&lt;script&gt;</bdi>');
    expect(html`<p title="${'"><b>'}">${['a', null, false, '<b>']}</p>`.toString()).toBe(
      '<p title="&quot;&gt;&lt;b&gt;">a&lt;b&gt;</p>',
    );
  });

  it.each([
    ['a character that turns the direction written out', 'a\u202Eb', 'a<U+202E>b'],
    ['U+0000 written out', 'a\u0000b', 'a<U+0000>b'],
    ['a space without a width written out', 'a\u200Bb', 'a<U+200B>b'],
    ['a line break written out', 'a\nb', 'a<U+000A>b'],
    ['half of a surrogate pair written out', 'a\uD800b', 'a<U+D800>b'],
    ['the joiner within an emoji', '👩\u200d🌾', '👩\u200d🌾'],
    ['letters of another script', 'ሰላም', 'ሰላም'],
  ])('is shown with %s', (_, given, shown) => {
    expect(plainText(given)).toBe(shown);
  });

  it('is cut and ends with the number of characters that are missing', () => {
    expect(plainText('x'.repeat(10_000), 5)).toBe('xxxxx… +9995');
    expect(plainText('👩'.repeat(5), 5)).toBe('👩'.repeat(5));
    expect(plainText('👩'.repeat(6), 5)).toBe(`${'👩'.repeat(5)}… +2`);
  });

  it('is masked before it is cut, and the mask does not read what is cut off', () => {
    expect(plainMasked(`to +254700000001 ${'x'.repeat(10_000)}`, 17)).toBe(
      `to +••••••••••01 … +10000`,
    );
    // The mask would need half a minute for the whole text.
    const long = 'a1 '.repeat(20_000_000);
    expect(plainMasked(long, 5)).toBe(`a1 a1… +${long.length - 5}`);
    expect(listing(`+254700000001 ${'x'.repeat(50)}`, 20, false).toString()).toMatch(
      /\+••••••••••01 xxxxxx… \+44/,
    );
  });

  it('keeps only line breaks and tabs in a listing', () => {
    expect(listing('a\n\tb\u202E<', 100, true).toString()).toContain('a\n\tb&lt;U+202E&gt;&lt;');
  });
});
