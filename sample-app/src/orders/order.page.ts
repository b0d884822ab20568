import type { ShopSettings } from '../shop.settings.js';
import { formatAmount, formatPhone, formatTime } from '../web/formats.js';
import { html, type Html, type HtmlContent } from '@tillkit/pages';
import { liveSection, type LiveSection } from '../web/live.section.js';
import { page } from '../web/page.layout.js';
import { phoneField } from './form.field.js';
import { FAILURE_TEXTS, STATE_TEXTS } from './order.texts.js';
import type { OrderView } from './orders.service.js';

/** The phone field of the retry form, when what was typed there is wrong. */
export interface Retry {
  readonly phone: string;
  readonly problem?: string | undefined;
}

const REFRESH_SECONDS = 3;

/** An order: first its payment is under way, in the end it is a receipt. */
export function orderPage(view: OrderView, settings: ShopSettings, retry?: Retry): string {
  const section = orderSection(view, retry);
  return page(
    {
      title: section.title,
      refreshSeconds: section.isFinal ? undefined : REFRESH_SECONDS,
      body: liveSection(section, `/orders/${view.order.id}/events`),
    },
    settings,
  );
}

export function orderSection(view: OrderView, retry?: Retry): LiveSection {
  const { order, payment } = view;
  const { state, reason } = payment;
  const { headline, picture, ...texts } = STATE_TEXTS[state];
  const text = state === 'failed' ? FAILURE_TEXTS[reason ?? 'unknown'] : texts.text;
  const isFinal = state === 'failed' || state === 'succeeded' || state === 'reversed';
  return {
    title: `${headline} · Order ${order.number}`,
    announcement: `${headline} ${text}`,
    isFinal,
    content: html`<article class="panel receipt">
        <img src="/pictures/${picture}.svg" alt="" width="120" height="120" />
        <h1>${headline}</h1>
        <p>${text}</p>
        ${lines(view)}
      </article>
      ${state === 'failed' && retryForm(view, retry)}
      ${isFinal && html`<p><a href="/">Back to the shop</a></p>`}`,
  };
}

function lines({ order, payment }: OrderView): Html {
  const { state, transaction, subscriber } = payment;
  return html`<dl>
    ${line('Order', order.number)} ${line('For', html`<bdi>${order.customer}</bdi>`)}
    ${line('Item', order.goods)} ${line('Phone', formatPhone(subscriber.phoneNumber))}
    ${transaction?.reference && line('Receipt', transaction.reference)}
    ${transaction?.originationTime && line('Paid', formatTime(transaction.originationTime))}
    ${line(state === 'succeeded' ? 'Total paid' : 'Total', formatAmount(order.price))}
  </dl>`;
}

function line(name: string, value: HtmlContent): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function retryForm({ order }: OrderView, retry: Retry | undefined): Html {
  return html`<form class="panel" method="post" action="/orders/${order.id}/attempts" novalidate>
    <input type="hidden" name="attempt" value="${order.attempts + 1}" />
    ${phoneField(retry?.phone ?? order.phone, retry?.problem)}
    <button class="button" type="submit">Try again</button>
    <p class="soft">This sends a new request to the phone. The one before has ended.</p>
  </form>`;
}
