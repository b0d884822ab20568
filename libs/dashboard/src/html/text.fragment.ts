import { html, type Html } from './html.template.js';

/** What the words of strangers are cut to in lists. */
export const SHORT = 160;

/** What they are cut to where they stand alone. */
export const LONG = 2_000;

/** Controls, and marks that turn the direction of what follows: shown for what they are, so that none can deceive. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Line breaks and tabs of a listing are layout. */
const LAYOUT = new Set(['\n', '\t']);

/**
 * Words of customers, listeners and the platform, harmless: whatever direction they are written in ends with them,
 * controls are visible, and ten thousand characters are cut with their number.
 */
export function text(value: string, most: number = SHORT): Html {
  return html`<bdi>${plainText(value, most)}</bdi>`;
}

/** The same for a whole listing, with its line breaks. */
export function listing(value: string, most: number): Html {
  return html`<pre class="listing" tabindex="0"><bdi>${plainText(value, most, LAYOUT)}</bdi></pre>`;
}

/** The same where no markup can be: in a title, an attribute, a field. */
export function plainText(
  value: string,
  most: number = SHORT,
  kept: ReadonlySet<string> = new Set(),
): string {
  const characters = Array.from(value.slice(0, most * 2));
  const isCut = characters.length > most || value.length > most * 2;
  const shown = characters
    .slice(0, most)
    .join('')
    .replace(INVISIBLE, (character) =>
      kept.has(character) ? character : `<U+${codeOf(character)}>`,
    );
  return isCut ? `${shown}… ${value.length.toLocaleString('en')} characters` : shown;
}

function codeOf(character: string): string {
  return (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
}
