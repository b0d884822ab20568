import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { ListedAccount } from '@tillkit/payments';
import { isAccountName } from '@tillkit/payments/routes';
import { AccountsStore, MOST_COUNTED, type AccountAttention } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { ACCOUNTS, PAGE_SIZE } from '../dashboard.constants.js';
import { empty, pager, table } from '../html/list.fragment.js';
import { count as shownCount } from '../html/number.format.js';
import { state } from '../html/state.fragment.js';
import { DashboardAccounts } from '../start/dashboard-accounts.service.js';
import { page, type Answer } from '../web/answer.dto.js';
import { readCursor } from '../web/list.dto.js';
import type { Words } from '../words/english.words.js';
import type { AnyVisit, LinkQuery } from '../web/visit.dto.js';
import { accountSearch } from './account-search.fragment.js';

/** What the start page was asked for. */
interface AccountsQuery {
  beginsWith: string;
  after: string | undefined;
  problem: string | null;
}

/** The start page of a dashboard of all accounts: every account that the store has seen, and what needs attention in it. */
@Injectable()
export class AccountsPage implements OnModuleInit {
  private store: AccountsStore;

  constructor(
    private readonly accounts: DashboardAccounts,
    private readonly modules: ModuleRef,
  ) {}

  onModuleInit(): void {
    this.store = this.modules.get(AccountsStore as never, { strict: false });
  }

  /** @param request names the operator, who may see only some accounts */
  async list(visit: AnyVisit, request: object): Promise<Answer> {
    const query = readQuery(visit);
    const visible = await this.accounts.visibleTo(request);
    const { items, next } = query.problem
      ? { items: [], next: null }
      : await this.accounts.all.list(
          { beginsWith: query.beginsWith, ...(visible && { among: visible }) },
          { limit: PAGE_SIZE, ...readCursor(query.after) },
        );
    const [attention, pauses] = await Promise.all([
      this.store.attention(items.map(({ name }) => name)),
      this.accounts.all.pauses(),
    ]);
    const paused = new Set(pauses.map(({ account }) => account));
    const link = (more: LinkQuery): string =>
      visit.rootLink(ACCOUNTS, { beginsWith: query.beginsWith || undefined, ...more });
    const { title, intro, allPaused } = visit.words.accounts;
    const body = html`<h1>${title}</h1>
      <p class="soft">${intro}</p>
      ${paused.has(null) && html`<p class="notice">${allPaused}</p>`}
      ${accountSearch(visit, query.beginsWith, 'page', query.problem)}
      ${items.length > 0 && accountsTable(visit, items, attention, paused)}
      ${items.length === 0 && emptyState(visit, query, visible)}
      ${pager(visit.words, query.after === undefined ? null : link({}), next === null ? null : link({ after: next }))}`;
    return page('accounts', title, body, query.problem ? { status: 400 } : {});
  }
}

function readQuery(visit: AnyVisit): AccountsQuery {
  const beginsWith = visit.parameter('beginsWith') ?? '';
  const isPossible = beginsWith === '' || isAccountName(beginsWith);
  return {
    beginsWith,
    after: visit.parameter('after'),
    problem: isPossible ? null : visit.words.problems.account,
  };
}

function accountsTable(
  visit: AnyVisit,
  accounts: readonly ListedAccount[],
  attention: readonly AccountAttention[],
  paused: ReadonlySet<string | null>,
): Html {
  const { words } = visit;
  const { table: caption, columns } = words.accounts;
  const rows = accounts.map(({ name, isRemoved }, index) => {
    const { open, inReview, deadLetters, unrecognised } = attention[index] as AccountAttention;
    const link = (to: string, query?: LinkQuery): string =>
      visit.rootLink(`${ACCOUNTS}/${name}/${to}`, query);
    return [
      html`<a class="mono" href="${link('overview')}">${name}</a>
        ${isRemoved && state(words, 'removed')} ${paused.has(name) && state(words, 'paused')}`,
      attentionTo(words, inReview),
      attentionTo(words, deadLetters, link('dead-letters')),
      attentionTo(words, unrecognised, link('deliveries', { state: 'unrecognised' })),
      counted(words, open),
    ];
  });
  return table(
    caption,
    [
      { name: columns.account },
      { name: columns.inReview, isNumber: true },
      { name: columns.deadLetters, isNumber: true },
      { name: columns.unrecognised, isNumber: true },
      { name: columns.open, isNumber: true },
    ],
    rows,
  );
}

/** A number that stands out unless it is 0. */
function attentionTo(words: Words, count: number, to?: string): Html | string {
  if (count === 0) return counted(words, 0);
  const number = html`<strong class="state state--wait">${counted(words, count)}</strong>`;
  return to === undefined ? number : html`<a href="${to}">${number}</a>`;
}

function counted(words: Words, count: number): string {
  return count > MOST_COUNTED
    ? words.units.orMore(shownCount(words, MOST_COUNTED))
    : shownCount(words, count);
}

/** The store knows no account that was never used, and the application may have it all the same. */
function emptyState(
  visit: AnyVisit,
  { beginsWith, after, problem }: AccountsQuery,
  visible: readonly string[] | null,
): Html {
  const { problems, accounts } = visit.words;
  if (problem) return empty(problems.notRun);
  if (after !== undefined) return empty(accounts.end);
  if (beginsWith === '') return empty(visible ? accounts.noneVisible : accounts.none);
  const mayOpen = visible === null || visible.includes(beginsWith);
  return html`${empty(accounts.noMatch(beginsWith))}
  ${
    mayOpen &&
    html`<p>
      <a href="${visit.rootLink(`${ACCOUNTS}/${beginsWith}/overview`)}"
        >${accounts.open(beginsWith)}</a
      >
    </p>`
  }`;
}
