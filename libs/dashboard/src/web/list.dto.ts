import { PageError } from './page.errors.js';
import { WORDS } from '../words/english.words.js';

const MAX_LENGTH = 500;

/** True when a store accepts this text in a query: it is not too long, and has no control characters. */
export function isSearchable(value: string): boolean {
  return value.length <= MAX_LENGTH && !/[\p{Cc}\p{Cs}]/u.test(value);
}

/**
 * Returns the cursor of a list (keyset pagination).
 * @throws PageError 400 for an invalid cursor
 */
export function readCursor(after: string | undefined): { after?: string } {
  if (after === undefined) return {};
  if (isSearchable(after)) return { after };
  throw new PageError(400, WORDS.errors.cursor);
}

const ID = /^[\w:.-]{1,200}$/;

/** True when a text can be an id. We do not query the store for other texts. */
export function isId(value: string): boolean {
  return ID.test(value);
}
