import { Injectable } from '@nestjs/common';
import { formatAmount } from '../web/amount.format.js';
import { html, type Html } from '../web/html.template.js';
import { liveAttributes, type LiveSection } from '../web/live-section.stream.js';
import { PageLayout, pageTitle } from '../web/page.layout.js';
import { maskPhone } from '../web/phone.format.js';
import { formatTime } from '../web/time.format.js';
import type { ThanksState } from './till.entry.js';
import type { ThankedEntry } from './till.repository.js';

const REFRESH_SECONDS = 10;

/** What the till received. */
@Injectable()
export class TillPage {
  constructor(private readonly layout: PageLayout) {}

  render(entries: readonly ThankedEntry[]): string {
    const section = this.section(entries);
    return this.layout.render({
      title: section.title,
      place: 'till',
      refreshSeconds: REFRESH_SECONDS,
      body: html`<p class="visually-hidden" role="status" aria-live="polite" id="news"></p>
        <section class="till">
          <h1>The till</h1>
          <p class="lead">
            Money the till received, newest first, whether or not an order of the shop asked for it.
          </p>
          <div ${liveAttributes('/till/events', section)}>${section.content}</div>
        </section>`,
    });
  }

  section(entries: readonly ThankedEntry[]): LiveSection {
    const [newest] = entries;
    return {
      title: pageTitle('Till'),
      news: newest ? `Latest: ${money(newest)} from ${newest.payer}` : '',
      content: newest ? list(entries) : EMPTY,
    };
  }
}

const EMPTY = html`<div class="empty">
  <p><strong>Nothing yet.</strong> Buy something, and its money shows up here by itself.</p>
  <p><a class="button button--quiet" href="/">To the shop</a></p>
</div>`;

function list(entries: readonly ThankedEntry[]): Html {
  return html`<ul class="money">
    ${entries.map(
      (entry) =>
        html`<li>
          <p class="money__amount">${money(entry)}</p>
          <p class="money__payer">
            <bdi>${entry.payer}</bdi>
            ${entry.phone && html`<span class="mono soft">${maskPhone(entry.phone)}</span>`}
          </p>
          <p class="money__facts soft">
            <span>${formatTime(entry.receivedAt)}</span>
            ${entry.reference && html`<span class="mono">${entry.reference}</span>`}
          </p>
          <p class="money__marks">
            ${
              entry.orderNumber
                ? html`<span class="mark">Order ${entry.orderNumber}</span>`
                : html`<span class="mark mark--plain">Paid directly</span>`
            }
            ${entry.thanks && html`<span class="mark mark--plain">${THANKS[entry.thanks]}</span>`}
          </p>
        </li>`,
    )}
  </ul>`;
}

const THANKS: Readonly<Record<ThanksState, string>> = {
  asked: 'SMS on its way',
  sent: 'SMS sent',
  failed: 'No SMS',
  unclear: 'SMS unclear',
};

function money({ amount, currency }: ThankedEntry): string {
  return amount && currency ? formatAmount({ currency, value: amount }) : 'Unreadable amount';
}
