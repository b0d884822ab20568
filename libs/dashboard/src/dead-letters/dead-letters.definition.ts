import { maskPhones } from '@tillkit/payments/internal/routes';
import type { DeadLetterFilter } from '@tillkit/payments/internal/store';
import type { Html } from '@tillkit/pages';
import { readOnly } from '../actions/read-only.fragment.js';
import type { CsvColumn } from '../csv/csv.format.js';
import { buttonForm } from '../actions/form.fragment.js';
import type { ListDefinition, ListField, ShownItems } from '../lists/list.definition.js';
import { fieldsFor } from '../lists/list-fields.js';
import { orderNumberOf } from '../operations/order-number.format.js';
import { Subjects } from '../subjects/subjects.query.js';
import type { Visit } from '../web/visit.dto.js';
import { deadLettersTable, type ListedLetter } from './dead-letters-table.fragment.js';
import { missingListeners } from './missing-listeners.fragment.js';
import { WORDS } from '../words/english.words.js';

/** Returns the list of dead letters: listener calls that the dispatcher does not repeat until an operator replays them. */
export function deadLettersList(visit: Visit): ListDefinition<DeadLetterFilter, ListedLetter> {
  const { account } = visit;
  return {
    section: 'dead-letters',
    path: 'dead-letters',
    title: 'Dead letters',
    intro:
      'The dispatcher does not repeat a listener call that failed at every attempt. Correct the listener, then replay the call. The event keeps its id.',
    action: (shown) => replayAll(visit, shown),
    states: [],
    filter: {},
    applyStates: () => undefined,
    fields: fieldsOf(visit),
    async read(filter, page) {
      const found = await account.store.events.listDeadLetters(account.name, filter, page);
      const streams = found.items.map(({ stream }) => stream);
      const subjects = await Subjects.ofStreams(account, streams);
      return { ...found, items: found.items.map((letter) => ({ letter, subjects })) };
    },
    table: (items) => deadLettersTable(visit, items),
    below: () => missingListeners(visit),
    none: 'No dead letters. Every listener call has completed or will be repeated.',
    noMatch: 'No dead letters match.',
    columns: COLUMNS,
  };
}

/** A filtered list has no such button, because the button also replays the letters that the filter hides. */
function replayAll(visit: Visit, { items, isFiltered }: ShownItems<ListedLetter>): Html | null {
  if (items.length === 0) return null;
  if (!visit.mayAct) return readOnly();
  if (isFiltered) return null;
  return buttonForm(visit, {
    action: visit.link('dead-letters/replay'),
    look: 'actions',
    button: { label: 'Replay all', name: 'which', value: 'all' },
  });
}

function fieldsOf(visit: Visit): ListField<DeadLetterFilter>[] {
  const { columns } = WORDS.deadLetters;
  const { plain, time } = fieldsFor<DeadLetterFilter>(visit);
  return [
    plain({ name: 'listener', label: columns.listener }, 'listener'),
    time({ name: 'from', label: 'Last attempt from' }, 'from'),
    time({ name: 'to', label: 'until before' }, 'to'),
  ];
}

const COLUMNS: readonly CsvColumn<ListedLetter>[] = [
  { name: 'id', cell: ({ letter }) => letter.id },
  { name: 'listener', cell: ({ letter }) => letter.listener },
  { name: 'event', cell: ({ letter }) => letter.event },
  { name: 'eventId', cell: ({ letter }) => letter.eventId },
  { name: 'about', cell: ({ letter }) => maskPhones(letter.stream) },
  { name: 'orderNumber', cell: orderNumber },
  { name: 'writtenAt', cell: ({ letter }) => letter.at.toISOString() },
  { name: 'attempts', isNumber: true, cell: ({ letter }) => letter.attempts },
  { name: 'lastAttemptAt', cell: ({ letter }) => letter.diedAt.toISOString() },
  { name: 'lastError', cell: ({ letter }) => maskPhones(letter.lastError) },
];

function orderNumber({ letter, subjects }: ListedLetter): string {
  const operation = subjects.operation(letter.stream);
  return operation === null ? '' : orderNumberOf(operation);
}
