import { html, type Html } from '@tillkit/pages';

/** The messages after a change, by their code in the address. Unknown codes are ignored. */
const NOTICES: Readonly<Record<string, string>> = {
  'delivery-replayed':
    'The library is reprocessing the delivery. Reload this page to see the result.',
  'dead-letter-replayed': 'The dispatcher will call the listener again.',
  'dead-letters-replayed':
    'All dead letters are queued. The dispatcher will call their listeners again.',
  'no-dead-letter': 'This dead letter no longer exists. Somebody else may have replayed it.',
  paused: 'Sending is paused in every process.',
  'paused-already': 'Sending was paused already. Nothing was changed.',
  resumed: 'Sending is resumed in every process.',
  'resumed-already': 'Sending was not paused any more. Nothing was changed.',
  resolved: 'Your decision is recorded. The library will emit the event of the payment.',
};

export type Notice = keyof typeof NOTICES;

export function notice(code: string | undefined): Html | null {
  const message = code === undefined || !Object.hasOwn(NOTICES, code) ? undefined : NOTICES[code];
  return message === undefined ? null : html`<p class="notice" role="status">${message}</p>`;
}
