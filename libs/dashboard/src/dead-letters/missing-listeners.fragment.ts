import { EventsService } from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';
import { table } from '../html/list.fragment.js';
import { text } from '../html/text.fragment.js';
import { duration } from '../html/time.format.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

/** It removes a listener with its waiting calls, also of an application whose start is refused. */
const COMMAND = 'npx @tillkit/cli listeners delete';

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
      Their events wait. Start a process that has the listener. If its id has changed, write the old
      one in its decorator. If you removed the listener for good, run
      <span class="mono">${COMMAND}</span> with its id.
    </p>
    ${table(missing.title, names, rows)}`;
}
