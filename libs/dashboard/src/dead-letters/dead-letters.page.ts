import { Injectable } from '@nestjs/common';
import { EventsService, type DeadLetter, type MissingListener } from '@tillkit/payments';
import { maskPhones } from '@tillkit/payments/routes';
import { html, type Html } from '@tillkit/pages';
import { readOnly } from '../actions/read-only.fragment.js';
import { inAccount } from '../html/account.fragment.js';
import { empty, table } from '../html/list.fragment.js';
import { text } from '../html/text.fragment.js';
import { duration } from '../html/time.format.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { operationSubject, transactionSubject } from '../subjects/subject.fragment.js';
import { Subjects } from '../subjects/subjects.query.js';
import { PageError } from '../web/page.errors.js';
import { letterAnchor } from './letter-link.format.js';
import { isSearchable } from '../web/list.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Words } from '../words/english.words.js';
import type { Visit } from '../web/visit.dto.js';

/** Maximum number of dead letters on the page, the oldest first. */
const MAX_SHOWN = 100;

/** The method of `EventsService` that removes what waits for a listener. */
const METHOD = 'deleteListener()';

/** The listeners that have waiting events but that no running process has. */
function absentListeners(words: Words, listeners: readonly MissingListener[]): Html | null {
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

/** The list of dead letters: listener calls that the dispatcher does not repeat until an operator replays them. */
@Injectable()
export class DeadLettersPage {
  constructor(private readonly audit: AuditLogService) {}

  async list(visit: Visit): Promise<Answer> {
    const events = visit.account.get(EventsService);
    const [letters, absent] = await Promise.all([
      events.deadLetters(MAX_SHOWN + 1),
      events.missingListeners(),
    ]);
    const shown = letters.slice(0, MAX_SHOWN);
    const streams = shown.map(({ stream }) => stream);
    const subjects = await Subjects.ofStreams(visit.account, streams);
    const { words } = visit;
    const { title, intro, replayAll, oldest, none } = words.deadLetters;
    const body = html`<h1>${title}</h1>
      <p class="soft">${intro}</p>
      ${
        shown.length > 0 &&
        visit.mayAct &&
        html`<form class="actions" method="post" action="${visit.link('dead-letters/replay')}">
          <button name="which" value="all">${replayAll}</button> ${inAccount(visit)}
        </form>`
      }
      ${shown.length > 0 && !visit.mayAct && readOnly(visit)}
      ${shown.length > 0 && this.table(visit, shown, subjects)}
      ${letters.length > MAX_SHOWN && html`<p class="soft">${oldest(MAX_SHOWN)}</p>`}
      ${shown.length === 0 && empty(none)}`;
    return page('dead-letters', title, html`${body}${absentListeners(words, absent)}`);
  }

  /** Replays one dead letter, or all of them. */
  async replay(visit: Visit): Promise<Answer> {
    const id = visit.field('id');
    if (id === undefined && visit.field('which') !== 'all') {
      throw new PageError(400, ({ errors }) => errors.deadLetter);
    }
    const count =
      id === undefined || isSearchable(id)
        ? await visit.account.get(EventsService).replayDeadLetters(id)
        : 0;
    if (count > 0) this.audit.changed(visit, `replayed dead letters: ${count}`);
    const all = id === undefined ? 'dead-letters-replayed' : 'dead-letter-replayed';
    return redirect(visit.link('dead-letters', { notice: count > 0 ? all : 'no-dead-letter' }));
  }

  private table(visit: Visit, letters: readonly DeadLetter[], subjects: Subjects): Html {
    const { table: caption, columns, replay } = visit.words.deadLetters;
    const rows = letters.map((letter) => [
      html`<span id="${letterAnchor(letter.id)}">${about(visit, letter, subjects)}</span>`,
      html`<span class="names"
        ><span class="mono">${text(letter.listener, 80)}</span
        ><span class="soft">${letter.event}</span></span
      >`,
      visit.times.show(letter.at),
      letter.attempts,
      html`${text(maskPhones(letter.lastError), 400)}<br /><span class="soft"
          >${visit.times.show(letter.diedAt)}</span
        >`,
      ...(visit.mayAct
        ? [
            html`<form method="post" action="${visit.link('dead-letters/replay')}">
              <input type="hidden" name="id" value="${letter.id}" />
              <button class="small">${replay(letter.listener, letter.event)}</button>
              ${inAccount(visit)}
            </form>`,
          ]
        : []),
    ]);
    return table(
      caption,
      [
        { name: columns.about },
        { name: columns.listener },
        { name: columns.since },
        { name: columns.attempts, isNumber: true },
        { name: columns.lastError },
        ...(visit.mayAct ? [{ name: columns.action }] : []),
      ],
      rows,
    );
  }
}

/** What the event of a dead letter is about; its stream when that is not stored any more, or no operation and no transaction. */
function about(visit: Visit, { stream }: DeadLetter, subjects: Subjects): Html {
  const operation = subjects.operation(stream);
  if (operation) return operationSubject(visit, operation);
  const transaction = subjects.transactionOfStream(stream);
  return transaction
    ? transactionSubject(visit, transaction)
    : html`<span class="mono soft">${text(maskPhones(stream), 60)}</span>`;
}
