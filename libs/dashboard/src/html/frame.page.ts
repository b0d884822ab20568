import { Inject, Injectable } from '@nestjs/common';
import { Html, html, renderPage } from '@tillkit/pages';
import { DASHBOARD_ACCOUNT, DEFAULT_ACCOUNT } from '../dashboard.constants.js';
import { faviconSvg } from '../generated/assets.js';
import type { Page, Section } from '../web/answer.dto.js';
import type { Visit } from '../web/visit.dto.js';
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
];

const MARK = new Html(faviconSvg);

/** Renders the HTML document of a page with the common frame: menu, search, and the notice after a change. */
@Injectable()
export class FramePage {
  constructor(
    private readonly times: TimeFormat,
    @Inject(DASHBOARD_ACCOUNT) private readonly account: string,
  ) {}

  render(visit: Visit, { section, title, body }: Page): string {
    const asset = (name: string): string => visit.link(`assets/${name}`);
    return renderPage({
      title: plainText(title, 80),
      application: 'Payments',
      mark: MARK,
      home: visit.link('overview'),
      menu: MENU.map((entry) => ({
        name: entry.name,
        href: visit.link(entry.section),
        isCurrent: entry.section === section,
      })),
      favicon: asset('favicon.svg'),
      style: asset('dashboard.css'),
      // In this order: charts.js uses the global that chart.js defines.
      scripts: section === 'overview' ? [asset('chart.js'), asset('charts.js')] : [],
      header: html`${this.accountName()} ${this.findForm(visit)}`,
      body: html`${notice(visit.parameter('notice'))}${body}`,
      footer: html`All times are in ${this.times.zone}. Tillkit.`,
    });
  }

  private accountName(): Html | false {
    return (
      this.account !== DEFAULT_ACCOUNT &&
      html`<span class="account">${plainText(this.account, 40)}</span>`
    );
  }

  /** One search field. The form is posted, so that no URL and no access log contains a phone number. */
  private findForm(visit: Visit): Html {
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
      <button>Find</button>
    </form>`;
  }
}
