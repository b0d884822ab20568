import { wordFor } from '../words/word.format.js';
import { WORDS } from '../words/english.words.js';

const STATE_CHANGE = /^(\w+) to (\w+)$/;

/** Returns the states before and after a change, by the detail that the library stores for it; null when the detail says something else. */
export function statesOf(detail: string): { before: string; after: string } | null {
  const [, before, after] = STATE_CHANGE.exec(detail) ?? [];
  return before !== undefined && after !== undefined ? { before, after } : null;
}

/** Writes a change as `pending to succeeded`, in the words of the dashboard. */
export function changeOf(detail: string): string | null {
  const change = statesOf(detail);
  const { timeline, states } = WORDS;
  return change && timeline.change(wordFor(states, change.before), wordFor(states, change.after));
}
