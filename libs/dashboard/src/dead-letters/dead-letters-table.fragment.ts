import type { DeadLetter } from '@tillkit/payments/types';
import { html, type Html } from '@tillkit/pages';
import { buttonForm } from '../actions/form.fragment.js';
import { table } from '../html/list.fragment.js';
import { masked, text } from '../html/text.fragment.js';
import { operationSubject, transactionSubject } from '../subjects/subject.fragment.js';
import type { Subjects } from '../subjects/subjects.query.js';
import type { Visit } from '../web/visit.dto.js';
import { letterAnchor } from './letter-link.format.js';
import { WORDS } from '../words/english.words.js';

/** A dead letter, with the subjects of the events of its page. */
export interface ListedLetter {
  letter: DeadLetter;
  subjects: Subjects;
}

export function deadLettersTable(visit: Visit, items: readonly ListedLetter[]): Html {
  const { columns } = WORDS.deadLetters;
  return table(
    'Dead letters, oldest first',
    [
      { name: 'About' },
      { name: columns.listener },
      { name: 'Since' },
      { name: 'Attempts', isNumber: true },
      { name: 'Last error' },
      ...(visit.mayAct ? [{ name: 'Action' }] : []),
    ],
    items.map((item) => row(visit, item)),
  );
}

function row(visit: Visit, item: ListedLetter): (Html | number)[] {
  const { id, listener, event, at, attempts, lastError, diedAt } = item.letter;
  return [
    html`<span id="${letterAnchor(id)}">${about(visit, item)}</span>`,
    html`<span class="names"
      ><a class="mono" href="${visit.link('dead-letters', { listener })}">${text(listener, 80)}</a
      ><span class="soft">${event}</span></span
    >`,
    visit.times.show(at),
    attempts,
    html`${masked(lastError, 400)}<br /><span class="soft">${visit.times.show(diedAt)}</span>`,
    ...(visit.mayAct ? [replayForm(visit, item)] : []),
  ];
}

function replayForm(visit: Visit, { letter: { id, listener, event } }: ListedLetter): Html {
  return buttonForm(visit, {
    action: visit.link('dead-letters/replay'),
    repeated: { id },
    button: {
      label: html`Replay<span class="visually-hidden">: ${listener}, for ${event}</span>`,
      look: 'small',
    },
  });
}

/**
 * Shows the operation or transaction of a dead letter. It shows the stream when neither is stored, or when the event is about something
 * else.
 */
function about(visit: Visit, { letter: { stream }, subjects }: ListedLetter): Html {
  const operation = subjects.operation(stream);
  if (operation) return operationSubject(visit, operation);
  const transaction = subjects.transactionOfStream(stream);
  return transaction
    ? transactionSubject(visit, transaction)
    : html`<span class="mono soft">${masked(stream, 60)}</span>`;
}
