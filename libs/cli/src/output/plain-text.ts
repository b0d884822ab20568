/**
 * Control characters, and characters that are invisible or change the direction of a text: a terminal would obey them. Joiners of
 * scripts and emoji stay.
 */
const UNPRINTABLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

const LAYOUT: ReadonlySet<string> = new Set(['\n', '\t']);

/** Returns a text of the platform, of a customer or of the store that a terminal may print: unprintable characters are written out. */
export function plainText(text: string, kept: ReadonlySet<string> = new Set()): string {
  return text.replace(UNPRINTABLE, (character) =>
    kept.has(character)
      ? character
      : `<U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}

/** Does the same as {@link plainText}, but keeps line breaks and tabs. */
export function plainLines(text: string): string {
  return plainText(text, LAYOUT);
}

/** Returns JSON whose strings have escapes instead of unprintable characters. Their values are the same. */
export function plainJson(value: unknown, space?: number): string {
  return JSON.stringify(value, null, space).replace(UNPRINTABLE, (character) =>
    character === '\n' ? character : escaped(character),
  );
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
