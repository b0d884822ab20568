import { Injectable } from '@nestjs/common';
import { Html, html, renderPage, type MenuEntry } from '@tillkit/pages';
import { ACCOUNTS, DEFAULT_ACCOUNT } from '../dashboard.constants.js';
import { faviconSvg } from '../generated/assets.js';
import { inAccount } from '../html/account.fragment.js';
import { accountSearch } from '../accounts/account-search.fragment.js';
import { DashboardAccounts } from '../start/dashboard-accounts.service.js';
import type { Page, Section } from '../web/answer.dto.js';
import { Visit, type AnyVisit } from '../web/visit.dto.js';
import { notice } from './notice.fragment.js';
import { plainText } from './text.fragment.js';
import { TimeFormat } from './time.format.js';

const MENU: readonly { section: Section; name: string }[] = [
  { section: 'overview', name: 'Overview' },
  { section: 'payments', name: 'Payments' },
  { section: 'transactions', name: 'Till' },
  { section: 'deliveries', name: 'Deliveries' },
  { section: 'dead-letters', name: 'Dead letters' },
  { section: 'anomalies', name: 'Anomalies' },
  { section: 'reconciliation', name: 'Reconciliation' },
  { section: 'sending', name: 'Sending' },
];

const MARK = new Html(faviconSvg);

/** Renders the HTML document of a page with the common frame: account, menu, search, and the notice after a change. */
@Injectable()
export class FramePage {
  constructor(
    private readonly times: TimeFormat,
    private readonly accounts: DashboardAccounts,
  ) {}

  render(visit: AnyVisit, { section, title, body }: Page): string {
    const asset = (name: string): string => visit.rootLink(`assets/${name}`);
    const account = visit instanceof Visit ? visit : null;
    const name = account?.isOneOfSeveral ? ` · ${account.account.name}` : '';
    return renderPage({
      title: plainText(title, 80) + name,
      application: 'Payments',
      mark: MARK,
      home: visit.rootLink(this.accounts.areSeveral ? ACCOUNTS : 'overview'),
      menu: account ? menuOf(account, section) : this.menuWithoutAccount(visit, section),
      favicon: asset('favicon.svg'),
      style: asset('dashboard.css'),
      // In this order: charts.js uses the global that chart.js defines.
      scripts: section === 'overview' ? [asset('chart.js'), asset('charts.js')] : [],
      ...(account && { header: html`${accountOf(account)} ${findForm(account)}` }),
      body: html`${notice(visit.parameter('notice'))}${body}`,
      footer: html`All times are in ${this.times.zone}. Tillkit.`,
    });
  }

  private menuWithoutAccount(visit: AnyVisit, section: Section | null): MenuEntry[] {
    if (!this.accounts.areSeveral) return [];
    return [
      { name: 'Accounts', href: visit.rootLink(ACCOUNTS), isCurrent: section === 'accounts' },
    ];
  }
}

function menuOf(visit: Visit, section: Section | null): MenuEntry[] {
  return MENU.map((entry) => ({
    name: entry.name,
    href: visit.link(entry.section),
    isCurrent: entry.section === section,
  }));
}

/** The name of the account, and the way to another one. */
function accountOf(visit: Visit): Html | false {
  const { name, isRemoved } = visit.account;
  const shown = html`${plainText(name, 64)}${isRemoved && ' (removed)'}`;
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

/** One search field. The form is posted, so that no URL and no access log contains a phone number. */
function findForm(visit: Visit): Html {
  return html`<form class="find" method="post" action="${visit.link('find')}" role="search">
    <label class="visually-hidden" for="find">Phone, reference, order key or id</label>
    <input
      id="find"
      name="words"
      type="search"
      maxlength="200"
      autocomplete="off"
      spellcheck="false"
      placeholder="Phone, reference, order key or id"
      required
    />
    <button>Find</button> ${inAccount(visit)}
  </form>`;
}
