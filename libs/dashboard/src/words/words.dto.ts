import type { PaymentsDashboardOptions } from '../dashboard.options.js';
import { ENGLISH, type Words } from './english.words.js';

/** The words of a dashboard: those of the host, else English. */
export function wordsOf({ words }: PaymentsDashboardOptions): Words {
  return words ?? ENGLISH;
}

/** The word for a code of the store; the code itself, if the store is newer than the words. */
export function wordFor(words: Readonly<Record<string, string>>, code: string): string {
  return (Object.hasOwn(words, code) ? words[code] : undefined) ?? code;
}
