import { PageError } from './page.errors.js';
import type { HttpRequest } from './http-request.dto.js';
import { WORDS } from '../words/english.words.js';

/**
 * Refuses a form that a page of another origin sent with the operator's cookies (cross-site request forgery). It also refuses
 * a request without an origin, because browsers always send one with a form.
 * @throws PageError 403
 */
export function assertSameOrigin({ headers }: HttpRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined ? isOwnOrigin(headers.origin, headers.host) : site === 'same-origin') {
    return;
  }
  throw new PageError(403, WORDS.errors.foreignForm);
}

function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (!origin || !host || !URL.canParse(origin)) return false;
  return new URL(origin).host === host.toLowerCase();
}
