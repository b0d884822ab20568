import { Injectable } from '@nestjs/common';
import { EventsService, type DeadLetter, type MissingListener } from '@tillkit/payments';
import { maskPhones } from '@tillkit/payments/routes';
import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { empty, table } from '../html/list.fragment.js';
import { text } from '../html/text.fragment.js';
import { duration, TimeFormat } from '../html/time.format.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { PageError } from '../web/page.errors.js';
import { isSearchable } from '../web/list.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Visit } from '../web/visit.dto.js';

/** Maximum number of dead letters on the page, the oldest first. */
const MAX_SHOWN = 100;

const COLUMNS = [
  { name: 'Listener' },
  { name: 'Event' },
  { name: 'Last attempt' },
  { name: 'Attempts', isNumber: true },
  { name: 'Last error' },
  { name: 'Action' },
] as const;

const ABSENT_COLUMNS = [
  { name: 'Listener' },
  { name: 'Events', isNumber: true },
  { name: 'Waiting' },
] as const;

/** The listeners that have waiting events but that no running process has. */
function absentListeners(listeners: readonly MissingListener[]): Html | null {
  if (listeners.length === 0) return null;
  const rows = listeners.map(({ listener, calls, waitingMs }) => [
    html`<span class="mono">${text(listener, 80)}</span>`,
    calls,
    duration(waitingMs),
  ]);
  return html`<h2>Listeners that no running process has</h2>
    <p class="soft">
      Their events wait. Start a process that has the listener. If you removed the listener for
      good, call <span class="mono">deleteListener()</span> with its name.
    </p>
    ${table('Listeners that no running process has', ABSENT_COLUMNS, rows)}`;
}

/** The list of dead letters: listener calls that the dispatcher does not repeat until an operator replays them. */
@Injectable()
export class DeadLettersPage {
  constructor(
    private readonly times: TimeFormat,
    private readonly audit: AuditLogService,
  ) {}

  async list(visit: Visit): Promise<Answer> {
    const events = visit.account.get(EventsService);
    const [letters, absent] = await Promise.all([
      events.deadLetters(MAX_SHOWN + 1),
      events.missingListeners(),
    ]);
    const shown = letters.slice(0, MAX_SHOWN);
    const body = html`<h1>Dead letters</h1>
      <p class="soft">
        The dispatcher does not repeat a listener call that failed at every attempt. Correct the
        listener, then replay the call. The event keeps its id.
      </p>
      ${
        shown.length > 0 &&
        html`<form class="actions" method="post" action="${visit.link('dead-letters/replay')}">
          <button name="which" value="all">Replay all</button> ${inAccount(visit)}
        </form>`
      }
      ${shown.length > 0 && this.table(visit, shown)}
      ${letters.length > MAX_SHOWN && html`<p class="soft">Only the ${MAX_SHOWN} oldest are shown.</p>`}
      ${shown.length === 0 && empty('No dead letters. Every listener call has completed or will be repeated.')}`;
    return page('dead-letters', 'Dead letters', html`${body}${absentListeners(absent)}`);
  }

  /** Replays one dead letter, or all of them. */
  async replay(visit: Visit): Promise<Answer> {
    const id = visit.field('id');
    if (id === undefined && visit.field('which') !== 'all') {
      throw new PageError(
        400,
        'The form names no dead letter',
        'The form has neither an id nor which=all. Go back to the dead letters and use a button there.',
      );
    }
    const count =
      id === undefined || isSearchable(id)
        ? await visit.account.get(EventsService).replayDeadLetters(id)
        : 0;
    if (count > 0) this.audit.changed(visit, `replayed dead letters: ${count}`);
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
          Replay<span class="visually-hidden">: ${letter.listener}, for ${letter.event}</span>
        </button>
        ${inAccount(visit)}
      </form>`,
    ]);
    return table('Dead letters, oldest first', COLUMNS, rows);
  }
}
