import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { ListedAccount } from '@tillkit/payments/types';
import { isAccountName } from '@tillkit/payments/internal/routes';
import {
  AccountsStore,
  MOST_COUNTED,
  type AccountAttention,
} from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { ACCOUNTS, PAGE_SIZE } from '../dashboard.constants.js';
import { empty, pager, table } from '../html/list.fragment.js';
import { count as shownCount } from '../html/number.format.js';
import { state } from '../html/state.fragment.js';
import { DashboardAccounts } from '../start/dashboard-accounts.service.js';
import { page, type Answer } from '../web/answer.dto.js';
import { readCursor } from '../web/list.dto.js';
import { WORDS } from '../words/english.words.js';
import type { AnyVisit, LinkQuery } from '../web/visit.dto.js';
import { accountSearch } from './account-search.fragment.js';

interface AccountsQuery {
  beginsWith: string;
  after: string | undefined;
  problem: string | null;
}

/**
 * The start page of a dashboard of all accounts. It shows every account that the store has seen, with the work in it that needs attention.
 */
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
    const { title } = WORDS.accounts;
    const body = html`<h1>${title}</h1>
      <p class="soft">
        Every account that was ever in use, by name. Open and in review count payments, payouts,
        refunds and payment links.
      </p>
      ${paused.has(null) && html`<p class="notice">Sending is paused for all accounts.</p>`}
      ${accountSearch(visit, query.beginsWith, 'page', query.problem)}
      ${items.length > 0 && accountsTable(visit, items, attention, paused)}
      ${items.length === 0 && emptyState(visit, query, visible)}
      ${pager(query.after === undefined ? null : link({}), next === null ? null : link({ after: next }))}`;
    return page('accounts', title, body, query.problem ? { status: 400 } : {});
  }
}

function readQuery(visit: AnyVisit): AccountsQuery {
  const beginsWith = visit.parameter('beginsWith') ?? '';
  const isPossible = beginsWith === '' || isAccountName(beginsWith);
  return {
    beginsWith,
    after: visit.parameter('after'),
    problem: isPossible ? null : 'Names have at most 64 letters, digits, - and _.',
  };
}

function accountsTable(
  visit: AnyVisit,
  accounts: readonly ListedAccount[],
  attention: readonly AccountAttention[],
  paused: ReadonlySet<string | null>,
): Html {
  const rows = accounts.map(({ name, isRemoved }, index) => {
    const { open, inReview, deadLetters, unrecognised } = attention[index] as AccountAttention;
    const link = (to: string, query?: LinkQuery): string =>
      visit.rootLink(`${ACCOUNTS}/${name}/${to}`, query);
    return [
      html`<a class="mono" href="${link('overview')}">${name}</a> ${isRemoved && state('removed')}
        ${paused.has(name) && state('paused')}`,
      attentionTo(inReview),
      attentionTo(deadLetters, link('dead-letters')),
      attentionTo(unrecognised, link('deliveries', { state: 'unrecognised' })),
      counted(open),
    ];
  });
  return table(
    'Accounts by name',
    [
      { name: 'Account' },
      { name: 'In review', isNumber: true },
      { name: 'Dead letters', isNumber: true },
      { name: 'Unrecognised', isNumber: true },
      { name: 'Open', isNumber: true },
    ],
    rows,
  );
}

/** Returns a number that stands out unless it is 0. */
function attentionTo(count: number, to?: string): Html | string {
  if (count === 0) return counted(0);
  const number = html`<strong class="state state--wait">${counted(count)}</strong>`;
  return to === undefined ? number : html`<a href="${to}">${number}</a>`;
}

function counted(count: number): string {
  return count > MOST_COUNTED ? WORDS.units.orMore(shownCount(MOST_COUNTED)) : shownCount(count);
}

/** Returns the page for an empty list. An account that was never used is not in the store, but the application may have it. */
function emptyState(
  visit: AnyVisit,
  { beginsWith, after, problem }: AccountsQuery,
  visible: readonly string[] | null,
): Html {
  if (problem) return empty('The search did not run. Correct the marked field.');
  if (after !== undefined) return empty('There are no more accounts.');
  if (beginsWith === '')
    return empty(
      visible ? 'No account that you may see was used yet.' : 'No account was used yet.',
    );
  const mayOpen = visible === null || visible.includes(beginsWith);
  return html`${empty(`No account that was used has a name that begins with ${beginsWith}.`)}
  ${
    mayOpen &&
    html`<p>
      <a href="${visit.rootLink(`${ACCOUNTS}/${beginsWith}/overview`)}"
        >Open the account ${beginsWith}</a
      >
    </p>`
  }`;
}
