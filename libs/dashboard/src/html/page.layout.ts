import { Inject, Injectable } from '@nestjs/common';
import type { AssetName } from '../assets/assets.catalogue.js';
import { DASHBOARD_ACCOUNT, DEFAULT_ACCOUNT } from '../dashboard.constants.js';
import type { Page, Place } from '../web/answer.js';
import type { Visit } from '../web/visit.js';
import { html, type Html } from './html.template.js';
import { notice } from './notice.fragment.js';
import { plainText } from './text.fragment.js';
import { TimeFormat } from './time.format.js';

const PLACES: readonly { place: Place; name: string }[] = [
  { place: 'overview', name: 'Overview' },
  { place: 'payments', name: 'Payments' },
  { place: 'transactions', name: 'Till' },
  { place: 'deliveries', name: 'Inbox' },
  { place: 'dead-letters', name: 'Dead letters' },
  { place: 'sightings', name: 'Oddities' },
  { place: 'reconciliation', name: 'Reconciliation' },
];

/** The frame of every page: menu, search and what is said after a change. */
@Injectable()
export class PageLayout {
  constructor(
    private readonly times: TimeFormat,
    @Inject(DASHBOARD_ACCOUNT) private readonly account: string,
  ) {}

  render(visit: Visit, { place, title, body }: Page): string {
    const asset = (name: AssetName): string => visit.link(`assets/${name}`);
    return html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>${plainText(title, 80)} · Payments</title>
          <link rel="icon" href="${asset('favicon.svg')}" type="image/svg+xml" />
          <link rel="stylesheet" href="${asset('dashboard.css')}" />
          ${
            place === 'overview' &&
            html`<script defer src="${asset('chart.js')}"></script>
              <script defer src="${asset('charts.js')}"></script>`
          }
        </head>
        <body>
          <a class="skip" href="#main">Skip to the content</a>
          <header class="top">
            <div class="top__inner">
              <a class="brand" href="${visit.link('overview')}"
                >${BRAND_MARK}<span>Payments</span></a
              >
              ${
                this.account !== DEFAULT_ACCOUNT &&
                html`<span class="account">${plainText(this.account, 40)}</span>`
              }
              ${this.find(visit)}
            </div>
            <nav class="menu" aria-label="Pages">
              ${PLACES.map(
                ({ place: to, name }) =>
                  html`<a href="${visit.link(to)}" ${to === place && html`aria-current="page"`}
                    >${name}</a
                  >`,
              )}
            </nav>
          </header>
          <main id="main" tabindex="-1">${notice(visit.asked('notice'))}${body}</main>
          <footer class="foot">
            <p>Times are those of ${this.times.zone}. Tillkit.</p>
          </footer>
        </body>
      </html>`.toString();
  }

  /** One field for whatever the operator was told. It is posted: a phone number stands in no address and no log. */
  private find(visit: Visit): Html {
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

const BRAND_MARK = html`<svg
  viewBox="0 0 24 24"
  width="24"
  height="24"
  aria-hidden="true"
  focusable="false"
>
  <rect class="mark__body" x="2" y="4" width="20" height="16" rx="4" />
  <path class="mark__line" d="M6 14.500 9.500 11l3 2.500L18 8.500" />
</svg>`;
