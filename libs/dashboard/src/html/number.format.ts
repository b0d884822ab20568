import { WORDS } from '../words/english.words.js';
import { LANGUAGE } from '../words/word.format.js';

/** Groups the thousands of a whole number: `1,200`. */
export function count(value: number): string {
  return value.toLocaleString(LANGUAGE);
}

/** Writes one decimal, also for a whole number: `1.2`. */
export function decimal(value: number): string {
  return value.toLocaleString(LANGUAGE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** Writes a percentage with one decimal: `98.7 %`. */
export function percentage(percent: number): string {
  return WORDS.units.percent(decimal(percent));
}
