import { html, type Html } from '@tillkit/pages';
import type {
  OperationFilter,
  OperationRecord,
  OperationState,
} from '@tillkit/payments/internal/store';
import type { ListDefinition } from '../lists/list.definition.js';
import type { Visit } from '../web/visit.dto.js';
import { FIRST_COLUMNS, LAST_COLUMNS } from './operation-columns.js';
import { operationFields } from './operation-fields.js';
import { listOf, type OperationKindName } from './operation-kinds.js';
import { readOperations } from './operations.query.js';
import { WORDS } from '../words/english.words.js';

/** The list of one kind of operations adds these parts to the common ones. */
export interface OperationsList<O extends OperationRecord> extends Pick<
  ListDefinition<OperationFilter, O>,
  'table' | 'columns' | 'action'
> {
  kind: OperationKindName;
  words: { title: string; intro?: string; none: string; noMatch: string };
  /** The states that the kind can have. */
  states: readonly OperationState[];
  is: (operation: OperationRecord) => operation is O;
}

export function operationsList<O extends OperationRecord>(
  visit: Visit,
  { kind, words, states, is, columns, ...more }: OperationsList<O>,
): ListDefinition<OperationFilter, O> {
  const { title, intro, none, noMatch } = words;
  const { states: names } = WORDS;
  const section = listOf(kind);
  return {
    section,
    path: section,
    fields: operationFields(visit, kind),
    title,
    intro,
    states: states.map((value) => ({ value, label: names[value] })),
    filter: { kind },
    applyStates: (filter, wanted) => {
      // An operation in review may also be paid, when evidence contradicts its payment.
      if (wanted.length === 1 && wanted[0] === 'needs_review') filter.inReview = true;
      else filter.states = wanted as OperationState[];
    },
    async read(filter, page) {
      const found = await readOperations(visit, filter, page);
      return { ...found, items: found.items.filter(is) };
    },
    none,
    noMatch,
    columns: [...FIRST_COLUMNS, ...columns, ...LAST_COLUMNS],
    ...more,
  };
}

/** Returns the link to the form that makes a new one; null for operators who may not act. */
export function makeLink(visit: Visit, path: string, name: string): Html | null {
  if (!visit.mayAct) return null;
  return html`<p><a class="button" href="${visit.link(path)}">${name}</a></p>`;
}
