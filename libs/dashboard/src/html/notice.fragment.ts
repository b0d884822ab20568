import { html, type Html } from './html.template.js';

/** What a redirect after a change may say; anything else in the address says nothing. */
const NOTICES: Readonly<Record<string, string>> = {
  'delivery-replayed': 'The delivery is read again. What comes of it shows here when it is done.',
  'dead-letter-replayed': 'The listener is called again.',
  'dead-letters-replayed': 'All dead letters are called again.',
  'no-dead-letter': 'There was no such dead letter any more: somebody was faster.',
  resolved: 'Your word is written down, and the event that was due is on its way.',
};

export type Notice = keyof typeof NOTICES;

export function notice(code: string | undefined): Html | null {
  const words = code === undefined || !Object.hasOwn(NOTICES, code) ? undefined : NOTICES[code];
  return words === undefined ? null : html`<p class="notice" role="status">${words}</p>`;
}
