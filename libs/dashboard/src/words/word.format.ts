/** The word for a code of the store; the code itself, if the store is newer than the words. */
export function wordFor(words: Readonly<Record<string, string>>, code: string): string {
  return (Object.hasOwn(words, code) ? words[code] : undefined) ?? code;
}
