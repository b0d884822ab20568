import { DEFAULT_TIMINGS } from '@tillkit/simulator';
import type { ShopSettings } from '../shop.settings.js';
import { formatAmount, formatPhone, formatTime, maskPhone } from '../web/formats.js';
import { html, type Html, type HtmlContent } from '@tillkit/pages';
import { liveSection, type LiveSection } from '../web/live-section.js';
import { page } from '../web/page-layout.js';
import { formField, phoneField } from './form-field.js';
import {
  isRefundable,
  mayAskAgain,
  orderState,
  paidWith,
  type OrderState,
  type OrderView,
} from './order.js';
import { FAILURE_TEXTS, STATE_TEXTS } from './order-texts.js';

/** The phone field of the retry form, when its text is wrong. */
export interface Retry {
  readonly phone: string;
  readonly problem?: string | undefined;
}

const REFRESH_SECONDS = 3;

const FINAL: readonly OrderState[] = [
  'failed',
  'succeeded',
  'reversed',
  'refunded',
  'refund_failed',
];

/** Returns the page of an order. It shows the progress of the payment first, and a receipt in the end. */
export function orderPage(view: OrderView, settings: ShopSettings, retry?: Retry): string {
  const section = orderSection(view, settings, retry);
  return page(
    {
      title: section.title,
      refreshSeconds: section.isFinal ? undefined : REFRESH_SECONDS,
      body: liveSection(section, `/orders/${view.order.id}/events`),
    },
    settings,
  );
}

export function orderSection(
  view: OrderView,
  { practice }: ShopSettings,
  retry?: Retry,
): LiveSection {
  const { order, payment } = view;
  const state = orderState(view);
  const { headline, picture, ...texts } = STATE_TEXTS[state];
  const text = state === 'failed' ? FAILURE_TEXTS[payment.reason ?? 'unknown'] : texts.text;
  const isFinal = FINAL.includes(state);
  return {
    title: `${headline} · Order ${order.number}`,
    announcement: `${headline} ${text}`,
    isFinal,
    content: html`<article class="panel receipt">
        <img src="/pictures/${picture}.svg" alt="" width="120" height="120" />
        <h1>${headline}</h1>
        <p>${text}</p>
        ${lines(view)} ${practice && state === 'pending' && handset(view, practice.url)}
      </article>
      ${
        mayAskAgain(view) &&
        html`<p><a href="/orders/${order.id}/again">No prompt on your phone? Send it again</a></p>`
      }
      ${state === 'failed' && [retryForm(view, retry), shareForm(view)]}
      ${state === 'shared' && sharedLink(view)}
      ${
        // Your shop shows this only to a shopkeeper who is signed in.
        practice &&
        isRefundable(view) &&
        html`<p><a href="/orders/${order.id}/refund">Refund this order</a></p>`
      }
      ${isFinal && html`<p><a href="/">Back to the shop</a></p>`}`,
  };
}

/** Returns the simulated phone of the customer, and the time when its prompt ends. `public/shop.js` counts down to it. */
function handset({ payment }: OrderView, platformUrl: string): Html {
  const endsAt = new Date(payment.updatedAt.getTime() + DEFAULT_TIMINGS.promptTimeout);
  return html`<p class="soft">
    <a href="${platformUrl}/?phone=${payment.subscriber.phoneNumber}">Open the phone</a>. Its prompt
    ends <time datetime="${endsAt.toISOString()}" data-countdown>at ${formatTime(endsAt)}</time>.
  </p>`;
}

function lines(view: OrderView): Html {
  const { order } = view;
  const { state, transaction } = paidWith(view);
  return html`<dl>
    ${line('Order', order.number)} ${line('For', html`<bdi>${order.customer}</bdi>`)}
    ${line('Item', order.goods)} ${line('Phone', payerPhone(view))}
    ${transaction?.reference && line('Receipt', transaction.reference)}
    ${transaction?.originationTime && line('Paid', formatTime(transaction.originationTime))}
    ${line(state === 'succeeded' ? 'Total paid' : 'Total', formatAmount(order.price))}
  </dl>`;
}

/** Returns the phone number of the customer. When somebody else paid with a link, only a part of the number is shown. */
function payerPhone(view: OrderView): string {
  const { payment } = view;
  const { senderPhoneNumber } = paidWith(view).transaction ?? {};
  return paidWith(view) === payment
    ? formatPhone(payment.subscriber.phoneNumber)
    : maskPhone(senderPhoneNumber ?? '');
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

function shareForm({ order, link }: OrderView): Html {
  return html`<form class="panel" method="post" action="/orders/${order.id}/links">
    <input type="hidden" name="link" value="${order.links + 1}" />
    <button class="button quiet" type="submit">Share a payment link</button>
    <p class="soft">
      Somebody else can pay for you with it. ${link && 'The link before cannot be paid any more.'}
    </p>
  </form>`;
}

function sharedLink({ order, link }: OrderView): Html {
  if (!link?.url) return html`<p class="panel">The payment service is making the link.</p>`;
  const hint = 'Copy it, and send it to whoever pays.';
  return html`<form class="panel" method="post" action="/orders/${order.id}/links/cancel">
    ${formField({ name: 'link', label: 'Payment link', hint, value: link.url, isReadOnly: true })}
    <p><a href="${link.url}">Open the link</a></p>
    <button class="button quiet" type="submit">Cancel the link</button>
  </form>`;
}
