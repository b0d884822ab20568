import { maskPhones } from '@tillkit/payments/internal/routes';
import { Injectable } from '@nestjs/common';
import {
  isPayment,
  moneyLike,
  unownedAmong,
  type PaymentRecord,
} from '@tillkit/payments/internal/store';
import { html, type Html, type HtmlContent } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { facts } from '../html/list.fragment.js';
import { rawPart } from '../html/payload.fragment.js';
import { money, moneyOf } from '../html/money.fragment.js';
import { formatPhone, maskedPhone } from '../html/phone.format.js';
import { state } from '../html/state.fragment.js';
import { LONG, masked, plainMasked, text } from '../html/text.fragment.js';
import { page, type Answer } from '../web/answer.dto.js';
import { notFound } from '../web/page.errors.js';
import { isId } from '../web/list.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';
import { wordFor } from '../words/word.format.js';
import { deliveriesOf } from './payment-deliveries.query.js';
import { refundLink, refundsOf } from '../refunds/refunds-of-money.fragment.js';
import { timelineOf } from './payment-timeline.format.js';
import { nameOf } from './payments-table.fragment.js';
import { noteForm, operationActions } from '../operations/operation-actions.fragment.js';
import { operationWaiting } from '../operations/operation-waiting.fragment.js';
import { orderFacts } from '../operations/order-facts.fragment.js';
import { orderNumberOf } from '../operations/order-number.format.js';
import { review } from '../reviews/review-form.fragment.js';
import { timeline } from '../timeline/timeline.fragment.js';
import { listenerSummary } from '../timeline/listener-summary.fragment.js';

/** One payment: its customer, amount, outcome, timeline and transaction. */
@Injectable()
export class PaymentPage {
  constructor(private readonly audit: AuditLogService) {}

  async show(visit: Visit, id: string): Promise<Answer> {
    return this.pageOf(visit, await paymentOf(visit, id), false);
  }

  /** Shows the phone number in this response only. */
  async reveal(visit: Visit, id: string): Promise<Answer> {
    const payment = await paymentOf(visit, id);
    this.audit.revealed(visit, `payment ${payment.id}`);
    return this.pageOf(visit, payment, true);
  }

  private async pageOf(visit: Visit, payment: PaymentRecord, isRevealed: boolean): Promise<Answer> {
    const { common } = WORDS;
    const { store, name } = visit.account;
    const [history, events, deliveries, refunds, waiting, unowned] = await Promise.all([
      store.operations.history(name, payment.id),
      store.events.list(name, payment.id),
      deliveriesOf(visit.account, payment),
      refundsOf(visit, payment.transaction?.reference ?? null),
      operationWaiting(visit, payment),
      unownedMoney(visit, payment),
    ]);
    const canRefund = payment.state === 'succeeded';
    // Retention deletes the calls of old events with the personal data, so that nobody knows which of them completed.
    const isRedacted = payment.subscriber.phoneNumber === '';
    const entries = timelineOf(visit, payment, history, events, deliveries);
    const body = html`<p class="crumb">
        <a href="${visit.link('payments')}">${WORDS.payments.title}</a>
      </p>
      <div class="title">
        <h1>${money(payment.amount)}</h1>
        ${state(payment.state)}
      </div>
      ${outcome(payment)} ${unowned} ${waiting} ${!isRedacted && listenerSummary(visit, events)}
      ${review(visit, payment)}
      ${operationActions(visit, payment, [canRefund ? refundLink(visit, { payment: payment.id }) : null])}
      <div class="columns">
        <section aria-labelledby="timeline">
          <h2 id="timeline">${common.timeline}</h2>
          ${timeline(visit, payment.createdAt, entries)} ${noteForm(visit, payment)}
        </section>
        <section aria-labelledby="details">
          <h2 id="details">${common.details}</h2>
          ${this.details(visit, payment, isRevealed)} ${this.moneyPart(visit, payment, isRevealed)}
          ${refunds} ${metadataPart(payment, isRevealed)}
        </section>
      </div>`;
    return page('payments', `Payment ${orderNumberOf(payment)}`, body, {
      about: payment.id,
    });
  }

  private details(visit: Visit, payment: PaymentRecord, isRevealed: boolean): Html {
    const { subscriber, createdAt, updatedAt, platformId } = payment;
    const { common, payment: name } = WORDS;
    const { email } = subscriber;
    const key = isRevealed ? payment.idempotencyKey : orderNumberOf(payment);
    return facts([
      ['Customer', text(nameOf(payment, isRevealed), LONG)],
      [common.phone, phone(visit, payment, isRevealed)],
      email ? ['Email', isRevealed ? text(email) : masked(email)] : null,
      [name.orderNumber, html`<span class="mono">${text(key, 400)}</span>`],
      ...orderFacts(visit, payment),
      [name.id, html`<span class="mono">${payment.id}</span>`],
      [name.platformId, html`<span class="mono">${text(platformId ?? name.notKnownYet)}</span>`],
      [common.till, html`<span class="mono">${text(payment.tillNumber)}</span>`],
      [name.recorded, visit.times.show(createdAt)],
      [name.lastChange, visit.times.show(updatedAt)],
    ]);
  }

  private moneyPart(visit: Visit, payment: PaymentRecord, isRevealed: boolean): Html | null {
    const { transaction } = payment;
    if (!transaction) return null;
    const { common } = WORDS;
    const { reference, tillNumber, amount, currency, status, system, originationTime, raw } =
      transaction;
    const link =
      reference && tillNumber && visit.link('transaction', { till: tillNumber.trim(), reference });
    return html`<h3>Transaction</h3>
      ${facts([
        [
          common.reference,
          link
            ? html`<a class="mono" href="${link}">${text(reference)}</a>`
            : html`<span class="soft">${common.none}</span>`,
        ],
        [common.amount, moneyOf(amount, currency)],
        [WORDS.payment.status, text(status ?? common.none)],
        ['System', text(system ?? common.none)],
        [common.originated, visit.times.showText(originationTime)],
      ])}
      ${rawPart(WORDS.common.dataFromPlatform, raw, isRevealed)}`;
  }
}

async function paymentOf({ account }: Visit, id: string): Promise<PaymentRecord> {
  const { store, name } = account;
  const found = isId(id) ? await store.operations.find(name, id) : null;
  if (!found || !isPayment(found)) throw notFound('payment');
  return found;
}

function phone(visit: Visit, payment: PaymentRecord, isRevealed: boolean): HtmlContent {
  const { phoneNumber } = payment.subscriber;
  if (isRevealed) {
    return html`<strong class="phone" data-revealed>${formatPhone(phoneNumber)}</strong>`;
  }
  const action = visit.link(`payments/${encodeURIComponent(payment.id)}/phone`);
  return html`${maskedPhone(phoneNumber)}
  ${
    phoneNumber &&
    html`<form class="inline" method="post" action="${action}">
      <button class="small">${WORDS.common.showNumber}</button> ${inAccount(visit)}
    </form>`
  }`;
}

/** Money of the same phone, till and amount without an owner: the customer of a failed payment may have paid the till directly. */
async function unownedMoney(visit: Visit, payment: PaymentRecord): Promise<Html | null> {
  const like = payment.state === 'failed' ? moneyLike(payment) : null;
  if (!like) return null;
  const { store, name } = visit.account;
  const records = await store.transactions.findUntied(name, like);
  const found = unownedAmong(records, like, (till) =>
    payment.tills.some((own) => visit.account.isSameTill(till, own)),
  );
  if (found.length === 0) return null;
  const links = found.map(
    ({ reference, till }) =>
      html`<li>
        <a class="mono" href="${visit.link('transaction', { till, reference })}"
          >${text(reference)}</a
        >
      </li>`,
  );
  return html`<div class="outcome">
    <p>
      Money of this number and amount came to the till after the request, and belongs to no payment.
      The customer may have paid directly:
    </p>
    <ul>
      ${links}
    </ul>
  </div>`;
}

/** Why the payment failed or needs review; null for other payments. */
function outcome({ state: is, reason, cause, causeDetail, errors }: PaymentRecord): Html | null {
  const items = errors.map((error) => html`<li>${masked(error, 600)}</li>`);
  const sentences = [
    reason && WORDS.payment.reason(wordFor(WORDS.reasons, reason)),
    cause && WORDS.payment.cause(wordFor(WORDS.causes, cause)),
  ].filter(Boolean);
  if (sentences.length === 0 && items.length === 0 && !causeDetail) return null;
  return html`<div class="outcome outcome--${is}">
    ${sentences.length > 0 && html`<p>${sentences.join(' ')}</p>`}
    ${causeDetail && html`<p>${masked(causeDetail, 600)}</p>`}
    ${
      items.length > 0 &&
      html`<ul>
        ${items}
      </ul>`
    }
  </div>`;
}

function metadataPart({ metadata }: PaymentRecord, isRevealed: boolean): Html | null {
  const entries = Object.entries(metadata ?? {});
  if (entries.length === 0) return null;
  const shown = (value: unknown): string => {
    const written = typeof value === 'string' ? value : JSON.stringify(value);
    return isRevealed ? written : maskPhones(written);
  };
  return html`<h3>${WORDS.payment.metadata}</h3>
    ${facts(entries.map(([name, value]) => [plainName(name), text(shown(value), LONG)] as const))}`;
}

function plainName(name: string): string {
  return plainMasked(name, 60);
}
