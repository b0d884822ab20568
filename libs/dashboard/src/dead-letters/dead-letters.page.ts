import { Injectable } from '@nestjs/common';
import type { DeadLetter, UnheardListener } from '@tillkit/payments';
import { html, type Html } from '../html/html.template.js';
import { empty, table } from '../html/list.fragment.js';
import { maskPhones } from '../html/phone.mask.js';
import { text } from '../html/text.fragment.js';
import { duration, TimeFormat } from '../html/time.format.js';
import { DashboardAccount } from '../start/dashboard.account.js';
import { page, redirect, type Answer } from '../web/answer.js';
import { DashboardProblem } from '../web/dashboard.problem.js';
import { isAskable } from '../web/list.input.js';
import { LookupsLog } from '../web/lookups.log.js';
import type { Visit } from '../web/visit.js';

/** The oldest are shown; when they are mended, the next come up. */
const MOST = 100;

const COLUMNS = [
  { name: 'Listener' },
  { name: 'Event' },
  { name: 'Given up' },
  { name: 'Attempts', isNumber: true },
  { name: 'Last error' },
  { name: 'Again' },
] as const;

const UNHEARD_COLUMNS = [
  { name: 'Listener' },
  { name: 'Events', isNumber: true },
  { name: 'Waiting for' },
] as const;

/** Events that wait for a listener which no process has. */
function unheardListeners(unheard: readonly UnheardListener[]): Html | null {
  if (unheard.length === 0) return null;
  const rows = unheard.map(({ listener, calls, waitingMs }) => [
    html`<span class="mono">${text(listener, 80)}</span>`,
    calls,
    duration(waitingMs),
  ]);
  return html`<h2>Listeners that no process has</h2>
    <p class="soft">
      Their events wait. Start a process that has the listener; if it was removed for good, call
      <span class="mono">forgetListener()</span> with its name.
    </p>
    ${table('Listeners that no process has', UNHEARD_COLUMNS, rows)}`;
}

/** Listeners that failed until they were given up: each is called again when somebody says so. */
@Injectable()
export class DeadLettersPage {
  constructor(
    private readonly account: DashboardAccount,
    private readonly times: TimeFormat,
    private readonly lookups: LookupsLog,
  ) {}

  async list(visit: Visit): Promise<Answer> {
    const [letters, unheard] = await Promise.all([
      this.account.dispatcher.deadLetters(MOST + 1),
      this.account.dispatcher.unheardListeners(),
    ]);
    const shown = letters.slice(0, MOST);
    const body = html`<h1>Dead letters</h1>
      <p class="soft">
        A listener that failed for days is not called any more by itself. Mend it, then have it
        called again: the event keeps its id.
      </p>
      ${
        shown.length > 0 &&
        html`<form class="actions" method="post" action="${visit.link('dead-letters/replay')}">
          <button name="which" value="all">Call all again</button>
        </form>`
      }
      ${shown.length > 0 && this.table(visit, shown)}
      ${letters.length > MOST && html`<p class="soft">There are more than these ${MOST}, the oldest.</p>`}
      ${shown.length === 0 && empty('There is none: every listener has heard what it was to hear, or is still being called.')}`;
    return page('dead-letters', 'Dead letters', html`${body}${unheardListeners(unheard)}`);
  }

  /** One dead letter, or all that there are. */
  async replay(visit: Visit): Promise<Answer> {
    const id = visit.field('id');
    if (id === undefined && visit.field('which') !== 'all') {
      throw new DashboardProblem(
        400,
        'Which one?',
        'The form did not say which dead letter it is about.',
      );
    }
    const count =
      id === undefined || isAskable(id) ? await this.account.dispatcher.replayDeadLetters(id) : 0;
    if (count > 0) this.lookups.changed(visit, `had dead letters called again: ${count}`);
    const all = id === undefined ? 'dead-letters-replayed' : 'dead-letter-replayed';
    return redirect(visit.link('dead-letters', { notice: count > 0 ? all : 'no-dead-letter' }));
  }

  private table(visit: Visit, letters: readonly DeadLetter[]): Html {
    const rows = letters.map((letter) => [
      html`<span class="mono">${text(letter.listener, 80)}</span>`,
      html`${letter.event}<br /><span class="mono soft">${text(letter.eventId, 40)}</span>`,
      this.times.show(letter.diedAt),
      letter.attempts,
      text(maskPhones(letter.lastError), 400),
      html`<form method="post" action="${visit.link('dead-letters/replay')}">
        <input type="hidden" name="id" value="${letter.id}" />
        <button class="small">
          Call again<span class="visually-hidden">: ${letter.listener}, for ${letter.event}</span>
        </button>
      </form>`,
    ]);
    return table('Dead letters, oldest first', COLUMNS, rows);
  }
}
