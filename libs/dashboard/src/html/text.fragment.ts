import { html, type Html } from '@tillkit/pages';
import { beginningFor, maskPhones } from '@tillkit/payments/internal/routes';

/** Maximum length of texts from outside in lists, in characters. */
const SHORT = 160;

/** Maximum length of texts from outside on their own line, in characters. */
export const LONG = 2_000;

/** Control characters and characters that change the text direction. We write them out, so that no text looks like another. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A listing keeps line breaks and tabs. */
const LAYOUT = new Set(['\n', '\t']);

/**
 * Returns a text of a customer, a listener or the platform, made safe: its direction is isolated, invisible characters are written out, and a long
 * text is cut and ends with the number of characters that are missing.
 */
export function text(value: string, maxLength: number = SHORT): Html {
  return html`<bdi>${plainText(value, maxLength)}</bdi>`;
}

/** Does the same as {@link text}, without phone numbers and hashes of them. We do not look at the part that is too far behind to be shown. */
export function masked(value: string, maxLength: number = SHORT): Html {
  return html`<bdi>${plainMasked(value, maxLength)}</bdi>`;
}

/** Does the same as {@link masked}, without markup. */
export function plainMasked(value: string, maxLength: number = SHORT): string {
  const seen = beginningFor(value, maxLength);
  return plainText(maskPhones(seen), maxLength, new Set(), value.length - seen.length);
}

/**
 * Does the same as {@link text}, for several lines.
 * @param isRevealed whether to show phone numbers
 */
export function listing(value: string, maxLength: number, isRevealed: boolean): Html {
  const seen = value.slice(0, maxLength);
  const shown = isRevealed ? seen : maskPhones(seen);
  return html`<pre
    class="listing"
    tabindex="0"
  ><bdi>${plainText(shown, maxLength, LAYOUT, value.length - seen.length)}</bdi></pre>`;
}

/**
 * Does the same as {@link text}, without markup, for a title, an attribute or a field.
 * @param more characters that were cut before
 */
export function plainText(
  value: string,
  maxLength: number = SHORT,
  kept: ReadonlySet<string> = new Set(),
  more = 0,
): string {
  const characters = Array.from(value.slice(0, maxLength * 2));
  const isCut = characters.length > maxLength || value.length > maxLength * 2;
  const cut = characters.slice(0, maxLength).join('');
  const shown = cut.replace(INVISIBLE, (character) =>
    kept.has(character) ? character : `<U+${codeOf(character)}>`,
  );
  return isCut || more > 0 ? `${shown}… +${value.length - cut.length + more}` : shown;
}

function codeOf(character: string): string {
  return (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
}
