import { maskPhones } from '@tillkit/payments/routes';
import type { OperationFilter, OperationRecord } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { PAGE_SIZE } from '../dashboard.constants.js';
import { empty, pager, table } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { state } from '../html/state.fragment.js';
import { text } from '../html/text.fragment.js';
import { page, type Answer } from '../web/answer.dto.js';
import { readCursor } from '../web/list.dto.js';
import type { Visit } from '../web/visit.dto.js';
import { wordFor } from '../words/words.dto.js';
import { pathOf, type OperationKindName } from './operation.kinds.js';

/** The choices of states above a list. */
const TABS: Readonly<Record<'all' | 'open' | 'needs_review' | 'failed', OperationFilter>> = {
  all: {},
  open: { states: ['created', 'requested', 'pending', 'unknown'] },
  needs_review: { states: ['needs_review'] },
  failed: { states: ['failed'] },
};

type Tab = keyof typeof TABS;

/** What a list shows of one kind of operations. */
export interface OperationsList<O extends OperationRecord> {
  kind: OperationKindName;
  section: 'payouts' | 'refunds' | 'payment-links';
  words: { title: string; intro: string; table: string; none: string; make: string };
  is: (operation: OperationRecord) => operation is O;
  /** The name of the column of who pays or is paid. */
  person: string;
  /** Who pays or is paid, of each operation of the page. */
  persons: (operations: readonly O[]) => Promise<Html[]> | Html[];
  /** Whether a form makes a new one. A refund begins at its payment. */
  hasForm: boolean;
}

/** A list of operations of one kind, newest first. */
export async function operationsList<O extends OperationRecord>(
  visit: Visit,
  list: OperationsList<O>,
): Promise<Answer> {
  const { store, name } = visit.account;
  const { section, kind, words: texts } = list;
  const asked = visit.parameter('state');
  const tab: Tab = asked !== undefined && Object.hasOwn(TABS, asked) ? (asked as Tab) : 'all';
  const cursor = readCursor(visit.parameter('after'));
  const filter = { kind, ...TABS[tab] };
  const { items, next } = await store.operations.list(name, filter, {
    limit: PAGE_SIZE,
    ...cursor,
  });
  const operations = items.filter(list.is);
  const link = (more: object): string =>
    visit.link(section, { state: tab === 'all' ? undefined : tab, ...more });
  const body = html`<h1>${texts.title}</h1>
    <p class="soft">${texts.intro}</p>
    ${
      visit.mayAct &&
      list.hasForm &&
      html`<p><a class="button" href="${visit.link(`${section}/new`)}">${texts.make}</a></p>`
    }
    ${tabs(visit, section, tab)}
    ${operations.length > 0 && rows(visit, list, operations, await list.persons(operations))}
    ${operations.length === 0 && empty(texts.none)}
    ${pager(visit.words, cursor.after === undefined ? null : link({}), next === null ? null : link({ after: next }))}`;
  return page(section, texts.title, body);
}

function tabs(visit: Visit, section: string, current: Tab): Html {
  const { operation } = visit.words;
  return html`<nav class="tabs" aria-label="${operation.states}">
    ${(Object.keys(TABS) as Tab[]).map(
      (tab) =>
        html`<a
          href="${visit.link(section, { state: tab === 'all' ? undefined : tab })}"
          ${tab === current && html`aria-current="true"`}
          >${operation.tabs[tab]}</a
        >`,
    )}
  </nav>`;
}

function rows<O extends OperationRecord>(
  visit: Visit,
  { words: texts, person }: OperationsList<O>,
  operations: readonly O[],
  persons: readonly Html[],
): Html {
  const { words } = visit;
  const { common, payments } = words;
  return table(
    texts.table,
    [
      { name: common.state },
      { name: person },
      { name: common.amount, isNumber: true },
      { name: payments.columns.recorded },
      { name: payments.columns.orderNumber },
      { name: payments.columns.outcome },
    ],
    operations.map((operation, index) => [
      state(words, operation.state),
      persons[index],
      money(operation.amount),
      visit.times.show(operation.createdAt),
      html`<a class="mono" href="${visit.link(pathOf(operation))}"
        >${text(maskPhones(operation.idempotencyKey), 60)}</a
      >`,
      outcome(visit, operation),
    ]),
  );
}

/** The reason of a failure, or the cause of a review. */
function outcome({ words }: Visit, { reason, cause }: OperationRecord): Html {
  return html`${reason !== null && wordFor(words.reasons, reason)}
  ${cause !== null && wordFor(words.causes, cause)}`;
}
