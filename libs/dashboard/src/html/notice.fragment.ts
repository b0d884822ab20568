import { html, type Html } from '@tillkit/pages';
import type { AnyVisit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

/** Returns the message after a change, by the code in the address. Unknown codes are ignored. */
export function notice(visit: AnyVisit): Html | null {
  const notices: Readonly<Record<string, string>> = WORDS.notices;
  const code = visit.parameter('notice');
  return code !== undefined && Object.hasOwn(notices, code)
    ? html`<p class="notice" role="status">${notices[code]}</p>`
    : null;
}
