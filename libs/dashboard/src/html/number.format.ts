import type { Words } from '../words/english.words.js';

/** `1,200`, in the format of the language. */
export function count({ language }: Words, value: number): string {
  return value.toLocaleString(language);
}

/** `1.2`: one decimal, also for a whole number. */
export function decimal({ language }: Words, value: number): string {
  return value.toLocaleString(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** `98.7 %`. */
export function percentage(words: Words, percent: number): string {
  return words.units.percent(decimal(words, percent));
}
