import { createHash, randomUUID } from 'node:crypto';
import { PageError } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

const KEY = /^dashboard-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Returns the idempotency key of a form, made when the form is shown. Every page up to the last button repeats it, so that a double click, a reload
 * or the back button asks for the same thing again.
 */
export function newKey(): string {
  return `dashboard-${randomUUID()}`;
}

/**
 * Returns the key that a form repeats.
 * @throws PageError 400 when the form has no key, because without it nobody could recognise a repeat
 */
export function keyOf(visit: Visit): string {
  const key = visit.field('key');
  if (key !== undefined && KEY.test(key)) return key;
  throw new PageError(400, WORDS.errors.formIncomplete);
}

/** Returns the hash of the shown values. The form of the last button sends it back. */
export function sealOf(shown: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url');
}

/**
 * Checks that the last button sends the values that its page showed. Browsers restore fields of forms, also hidden ones.
 * @throws PageError 409 when something is different
 */
export function assertShown(visit: Visit, sent: readonly unknown[]): void {
  if (visit.field('seal') === sealOf(sent)) return;
  throw new PageError(409, WORDS.errors.formChanged);
}
