import { Injectable } from '@nestjs/common';
import { Html, html, renderPage, type MenuEntry } from '@tillkit/pages';
import { ACCOUNTS, DEFAULT_ACCOUNT } from '../dashboard.constants.js';
import { faviconSvg } from '../generated/assets.js';
import { inAccount } from './account.fragment.js';
import { accountSearch } from '../accounts/account-search.fragment.js';
import { DashboardAccounts } from '../start/dashboard-accounts.service.js';
import type { Page, Section } from '../web/answer.dto.js';
import { Visit, type AnyVisit } from '../web/visit.dto.js';
import { isLive, liveState } from '../live/live.fragment.js';
import { notice } from './notice.fragment.js';
import { plainText } from './text.fragment.js';
import { WORDS } from '../words/english.words.js';

const MENU: readonly Section[] = [
  'overview',
  'totals',
  'statement',
  'payments',
  'payouts',
  'refunds',
  'payment-links',
  'transactions',
  'deliveries',
  'dead-letters',
  'anomalies',
  'reconciliation',
  'sending',
];

const MARK = new Html(faviconSvg);

/** Renders the HTML document of a page with the common frame: account, menu, search, and the notice after a change. */
@Injectable()
export class FramePage {
  constructor(private readonly accounts: DashboardAccounts) {}

  render(visit: AnyVisit, page: Page): string {
    const { section, title, body } = page;
    const asset = (name: string): string => visit.rootLink(`assets/${name}`);
    const account = visit instanceof Visit ? visit : null;
    const live = account && isLive(account, page) ? liveState(account, page) : null;
    const name = account?.isOneOfSeveral ? ` · ${account.account.name}` : '';
    // The result of a form cannot be loaded again in another time zone.
    const mayLoadAgain = visit.ownZone !== null && !account?.isSubmitted;
    return renderPage({
      title: plainText(title, 80) + name,
      application: 'Payments',
      mark: MARK,
      home: visit.rootLink(this.accounts.areSeveral ? ACCOUNTS : 'overview'),
      menu: account ? menuOf(account, section) : this.menuWithoutAccount(visit, section),
      favicon: asset('favicon.svg'),
      style: asset('dashboard.css'),
      // The order matters, because charts.js uses the global that chart.js defines.
      scripts: [
        asset('desk.js'),
        asset('copy.js'),
        ...(live ? [asset('live.js')] : []),
        ...(section === 'overview' ? [asset('chart.js'), asset('charts.js')] : []),
      ],
      ...(account && { header: html`${accountOf(account)} ${findForm(account)}` }),
      body: html`${live}${notice(visit)}${body}`,
      footer: html`<span
        data-desk
        data-root="${visit.rootLink('')}"
        ${mayLoadAgain && html`data-zone="${visit.ownZone}"`}
        >All times are in ${visit.times.zone}. Tillkit.</span
      >`,
    });
  }

  private menuWithoutAccount(visit: AnyVisit, section: Section | null): MenuEntry[] {
    if (!this.accounts.areSeveral) return [];
    return [
      {
        name: WORDS.frame.menu.accounts,
        href: visit.rootLink(ACCOUNTS),
        isCurrent: section === 'accounts',
      },
    ];
  }
}

function menuOf(visit: Visit, section: Section | null): MenuEntry[] {
  return MENU.map((entry) => ({
    name: WORDS.frame.menu[entry],
    href: visit.link(entry),
    isCurrent: entry === section,
  }));
}

/** Returns the name of the account, and the link to another one. */
function accountOf(visit: Visit): Html | false {
  const { name, isRemoved } = visit.account;
  const named = html`${plainText(name, 64)}`;
  const shown = isRemoved ? html`${named} (removed)` : named;
  if (!visit.isOneOfSeveral)
    return name !== DEFAULT_ACCOUNT && html`<span class="account">${shown}</span>`;
  return html`<details class="account-chooser">
    <summary>
      <span class="visually-hidden">Account</span> <span class="account">${shown}</span>
    </summary>
    <div class="account-chooser__menu">
      ${accountSearch(visit, '', 'chooser')}
      <p><a href="${visit.rootLink(ACCOUNTS)}">All accounts</a></p>
    </div>
  </details>`;
}

/** Returns one search field. The form is posted, so that no URL and no access log contains a phone number. */
function findForm(visit: Visit): Html {
  const { findBy } = WORDS.frame;
  return html`<form class="find" method="post" action="${visit.link('find')}" role="search">
    <label class="visually-hidden" for="find">${findBy}</label>
    <input
      id="find"
      name="words"
      type="search"
      maxlength="200"
      autocomplete="off"
      spellcheck="false"
      placeholder="${findBy}"
      required
    />
    <button>Find</button> ${inAccount(visit)}
  </form>`;
}
