/** Returns the word for a code of the store; the code itself, if the store is newer than the words. */
export function wordFor(words: Readonly<Record<string, string>>, code: string): string {
  return (Object.hasOwn(words, code) ? words[code] : undefined) ?? code;
}

/** The words are in British English, because dates are `21 Nov 2026, 14:05:09` in it, as in East Africa. */
export const LANGUAGE = 'en-GB';

export const number = (count: number): string => count.toLocaleString(LANGUAGE);
export const plural = (count: number, { one, other }: { one: string; other: string }): string =>
  count === 1 ? one : other;
