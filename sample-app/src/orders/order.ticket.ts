import type { PracticePhone } from '../practice/practice-phones.table.js';
import { formatAmount } from '../web/amount.format.js';
import { html, type Html, type HtmlContent } from '../web/html.template.js';
import { formatPhone } from '../web/phone.format.js';
import { formatTime } from '../web/time.format.js';
import { phoneField, type Field } from './form.fields.js';
import { orderNumber } from './order.js';
import { isUnderWay, type OrderStage } from './order.stage.js';
import type { OrderView } from './order-views.service.js';
import { stageFigure } from './stage.figures.js';

export interface Ticket {
  readonly view: OrderView;
  readonly headline: string;
  readonly text: string;
  readonly practice: PracticePhone | null;
  readonly phone?: Field | undefined;
}

/** The slip of paper that an order is: it waits, then it is a receipt. */
export function orderTicket(ticket: Ticket): Html {
  const { view, headline, text, practice } = ticket;
  const { stage } = view;
  return html`<div class="slip">
      <article class="ticket ticket--${stage}">
        <header class="ticket__head">
          ${stageFigure(stage)}
          <h1>${headline}</h1>
          <p>${text}</p>
          ${isUnderWay(stage) && stage !== 'checking' && steps(stage)}
        </header>
        ${lines(view)} ${thanks(view)}
      </article>
    </div>
    ${view.nextAttempt !== null && tryAgain(ticket, view.nextAttempt)}
    ${practice && stage !== 'paid' && practiceNote(practice, stage)}
    ${!isUnderWay(stage) && html`<p class="after"><a href="/">Back to the shop</a></p>`}`;
}

function practiceNote({ number, summary }: PracticePhone, stage: OrderStage): Html {
  return html`<p class="aside">
    <strong>Practice numbers ending in ${number.slice(-2)}.</strong> ${summary}
    ${stage === 'failed' && 'One ending in 01 pays.'}
  </p>`;
}

const STEPS = ['Order placed', 'Request on your phone', 'You enter your PIN'] as const;

/** How many steps are done; the next one is under way. */
const STEPS_DONE: Partial<Record<OrderStage, number>> = { asking: 1, unclear: 1, waiting: 2 };

function steps(stage: OrderStage): Html {
  const done = STEPS_DONE[stage] ?? 0;
  return html`<ol class="steps">
    ${STEPS.map((step, index) => {
      const state = index < done ? 'done' : index === done ? 'now' : 'next';
      return html`<li class="steps__${state}" ${state === 'now' && html`aria-current="step"`}>
        ${step}${state === 'done' && html`<span class="visually-hidden"> (done)</span>`}
      </li>`;
    })}
  </ol>`;
}

function lines({ order, stage, payment }: OrderView): Html {
  const phone = payment?.subscriber.phoneNumber ?? '';
  const { transaction } = payment ?? {};
  return html`<dl class="ticket__lines">
    ${line('Order', html`<span class="mono">${orderNumber(order.id)}</span>`)}
    ${line('For', html`<bdi>${order.customer}</bdi>`)} ${line('Item', order.goodsName)}
    ${phone && line('Phone', html`<span class="mono">${formatPhone(phone)}</span>`)}
    ${
      transaction?.reference &&
      line('Receipt', html`<span class="mono">${transaction.reference}</span>`)
    }
    ${
      transaction?.originationTime &&
      line(stage === 'refunded' ? 'Was paid' : 'Paid', formatTime(transaction.originationTime))
    }
    <div class="ticket__total">
      <dt>${stage === 'paid' ? 'Total paid' : 'Total'}</dt>
      <dd>${formatAmount(order.price)}</dd>
    </div>
  </dl>`;
}

function line(name: string, value: HtmlContent): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function thanks({ stage, thanks: state, payment }: OrderView): Html | null {
  if (stage !== 'paid' || !state) return null;
  const phone = formatPhone(payment?.subscriber.phoneNumber ?? '');
  const words = {
    asked: 'A thank-you by SMS is on its way…',
    sent: `We sent a thank-you by SMS to ${phone}.`,
    unclear: 'We sent a thank-you by SMS, but cannot tell whether it arrived.',
    failed: 'We could not send you an SMS; this page is your receipt.',
  }[state];
  return html`<p class="ticket__foot">${words}</p>`;
}

function tryAgain({ view: { order, stage }, phone }: Ticket, attempt: number): Html {
  return html`<form
    class="form form--again"
    method="post"
    action="/orders/${order.id}/attempts"
    novalidate
    data-once
  >
    <input type="hidden" name="attempt" value="${attempt}" />
    ${phoneField({
      value: phone?.value ?? order.phone,
      problem: phone?.problem,
      focus: Boolean(phone?.problem),
    })}
    <button class="button" type="submit">
      ${stage === 'not_asked' ? 'Ask my phone' : 'Try again'}
    </button>
    <p class="small soft">This sends a new request to the phone. The one before is over.</p>
  </form>`;
}
