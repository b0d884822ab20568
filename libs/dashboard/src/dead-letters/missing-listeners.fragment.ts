import { EventsService } from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';
import { table } from '../html/list.fragment.js';
import { text } from '../html/text.fragment.js';
import { duration } from '../html/time.format.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

/** The method of `EventsService` that removes the waiting calls of a listener. */
const METHOD = 'deleteListener()';

/** Returns the listeners that have waiting events but that no running process has. */
export async function missingListeners({ account }: Visit): Promise<Html | null> {
  const listeners = await account.get(EventsService).missingListeners();
  if (listeners.length === 0) return null;
  const { missing, columns } = WORDS.deadLetters;
  const rows = listeners.map(({ listener, calls, waitingMs }) => [
    html`<span class="mono">${text(listener, 80)}</span>`,
    calls,
    duration(waitingMs),
  ]);
  const names = [
    { name: columns.listener },
    { name: 'Events', isNumber: true },
    { name: 'Waiting' },
  ];
  return html`<h2>${missing.title}</h2>
    <p class="soft">
      Their events wait. Start a process that has the listener. If you removed the listener for
      good, call <span class="mono">${METHOD}</span> with its name.
    </p>
    ${table(missing.title, names, rows)}`;
}
