import { WORDS } from '../words/english.words.js';
import { LANGUAGE } from '../words/word.format.js';

/** `1,200`. */
export function count(value: number): string {
  return value.toLocaleString(LANGUAGE);
}

/** `1.2`: one decimal, also for a whole number. */
export function decimal(value: number): string {
  return value.toLocaleString(LANGUAGE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** `98.7 %`. */
export function percentage(percent: number): string {
  return WORDS.units.percent(decimal(percent));
}
