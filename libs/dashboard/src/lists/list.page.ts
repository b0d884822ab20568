import { html, type Html } from '@tillkit/pages';
import type { Page as ListPage } from '@tillkit/payments/internal/store';
import { PAGE_SIZE } from '../dashboard.constants.js';
import { inAccount } from '../html/account.fragment.js';
import { empty, pager } from '../html/list.fragment.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { readCursor } from '../web/list.dto.js';
import type { Visit } from '../web/visit.dto.js';
import { csvFile } from '../csv/csv-file.js';
import { filterBar, hiddenFields } from './filter.fragment.js';
import type { ListDefinition } from './list.definition.js';
import {
  hasCriteria,
  isInvalid,
  isPrivate,
  linkQueryOf,
  readListQuery,
  type ListQuery,
} from './list.query.js';
import { WORDS } from '../words/english.words.js';

/** Shows the list for the parameters of the address. */
export async function showList<F, T>(
  visit: Visit,
  definition: ListDefinition<F, T>,
): Promise<Answer> {
  const query = readListQuery(definition, visit.query, false);
  return listPage(visit, definition, query, visit.parameter('after'));
}

/** Answers the form of the filter. A filter that names a person gets a page; any other gets a redirect to an address that can be shared. */
export async function searchList<F, T>(
  visit: Visit,
  definition: ListDefinition<F, T>,
): Promise<Answer> {
  const query = readListQuery(definition, visit.form, true);
  const after = visit.field('after');
  if (!isPrivate(definition, query) && !isInvalid(query) && after === undefined)
    return redirect(visit.link(definition.path, linkQueryOf(definition, query)));
  return listPage(visit, definition, query, after);
}

/** Returns the whole filtered list as a CSV file. */
export function listFile<F, T>(
  visit: Visit,
  definition: ListDefinition<F, T>,
  parameters: URLSearchParams,
  privately: boolean,
): Promise<Answer> | Answer {
  const query = readListQuery(definition, parameters, privately);
  if (isInvalid(query)) return listPage(visit, definition, query, undefined);
  return csvFile(visit, definition.path, definition.columns, (request) =>
    definition.read(query.filter, request),
  );
}

async function listPage<F, T>(
  visit: Visit,
  definition: ListDefinition<F, T>,
  query: ListQuery<F>,
  after: string | undefined,
): Promise<Answer> {
  const { section, title, intro, action, below } = definition;
  const cursor = readCursor(after);
  const found: ListPage<T> = isInvalid(query)
    ? { items: [], next: null }
    : await definition.read(query.filter, { limit: PAGE_SIZE, mayBeOld: true, ...cursor });
  const { items } = found;
  const body = html`<div class="title title--list">
      <h1>${title}</h1>
      ${!isInvalid(query) && download(visit, definition, query)}
    </div>
    ${intro && html`<p class="soft">${intro}</p>`}
    ${action?.({ items, isFiltered: hasCriteria(query) })} ${filterBar(visit, definition, query)}
    ${items.length > 0 && (await definition.table(items))}
    ${items.length === 0 && empty(whyEmpty(definition, query, found, after))}
    ${found.lookedTo && html`<p class="soft">${WORDS.lists.lookedTo(visit.times.show(found.lookedTo))}</p>`}
    ${pages(visit, definition, query, found, after)} ${await below?.()}`;
  return page(section, title, body, isInvalid(query) ? { status: 400 } : {});
}

function whyEmpty<F, T>(
  { none, noMatch }: ListDefinition<F, T>,
  query: ListQuery<F>,
  { lookedTo }: ListPage<T>,
  after: string | undefined,
): string {
  if (isInvalid(query)) return 'The search did not run. Correct the marked fields.';
  if (lookedTo) return WORDS.lists.noneSoFar;
  if (after !== undefined) return 'There are no more.';
  return hasCriteria(query) ? noMatch : none;
}

/** Returns links to the first and the next page. When the filter names a person, the link to the next page is a button. */
function pages<F, T>(
  visit: Visit,
  definition: ListDefinition<F, T>,
  query: ListQuery<F>,
  { next, lookedTo }: ListPage<T>,
  after: string | undefined,
): Html | null {
  const nextName = lookedTo ? 'Search older' : WORDS.common.nextPage;
  if (isPrivate(definition, query)) {
    return next === null
      ? null
      : html`<form class="pager" method="post" action="${visit.link(`${definition.path}/search`)}">
          ${hiddenFields(query)} <input type="hidden" name="after" value="${next}" />
          <button>${nextName}</button> ${inAccount(visit)}
        </form>`;
  }
  const link = (more: object): string =>
    visit.link(definition.path, { ...linkQueryOf(definition, query), ...more });
  return pager(
    after === undefined ? null : link({}),
    next === null ? null : link({ after: next }),
    nextName,
  );
}

function download<F, T>(visit: Visit, definition: ListDefinition<F, T>, query: ListQuery<F>): Html {
  const { csv } = WORDS.lists;
  if (!isPrivate(definition, query)) {
    const href = visit.link(`${definition.path}.csv`, linkQueryOf(definition, query));
    return html`<a class="button quiet" href="${href}" download>${csv}</a>`;
  }
  return html`<form method="post" action="${visit.link(`${definition.path}.csv`)}">
    ${hiddenFields(query)}<button class="quiet">${csv}</button> ${inAccount(visit)}
  </form>`;
}
