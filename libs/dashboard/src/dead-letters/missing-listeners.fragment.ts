import { EventsService } from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';
import { table } from '../html/list.fragment.js';
import { text } from '../html/text.fragment.js';
import { duration } from '../html/time.format.js';
import type { Visit } from '../web/visit.dto.js';

/** The method of `EventsService` that removes what waits for a listener. */
const METHOD = 'deleteListener()';

/** The listeners that have waiting events but that no running process has. */
export async function missingListeners({ account, words }: Visit): Promise<Html | null> {
  const listeners = await account.get(EventsService).missingListeners();
  if (listeners.length === 0) return null;
  const { missing, columns } = words.deadLetters;
  const rows = listeners.map(({ listener, calls, waitingMs }) => [
    html`<span class="mono">${text(listener, 80)}</span>`,
    calls,
    duration(words, waitingMs),
  ]);
  const names = [
    { name: columns.listener },
    { name: missing.events, isNumber: true },
    { name: missing.waiting },
  ];
  return html`<h2>${missing.title}</h2>
    <p class="soft">${missing.intro(html`<span class="mono">${METHOD}</span>`)}</p>
    ${table(missing.title, names, rows)}`;
}
