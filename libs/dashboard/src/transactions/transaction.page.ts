import { Injectable } from '@nestjs/common';
import { transactionStream, wentBack } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { buttonForm } from '../actions/form.fragment.js';
import { facts } from '../html/list.fragment.js';
import { rawPart } from '../html/payload.fragment.js';
import { moneyOf } from '../html/money.fragment.js';
import { formatPhone, maskedPhone } from '../html/phone.format.js';
import { state } from '../html/state.fragment.js';
import { text } from '../html/text.fragment.js';
import { refundLink, refundsOf } from '../refunds/refunds-of-money.fragment.js';
import { timelineOf } from './transaction-timeline.format.js';
import { MOST_DELIVERIES } from '../timeline/delivery-entries.format.js';
import { timeline } from '../timeline/timeline.fragment.js';
import { listenerSummary } from '../timeline/listener-summary.fragment.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { notFound } from '../web/page.errors.js';
import { isSearchable } from '../web/list.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Visit } from '../web/visit.dto.js';
import { transactionsIn, type TillTransaction } from './till-transaction.dto.js';
import { payerOf } from './transactions.definition.js';
import { WORDS } from '../words/english.words.js';

/** One transaction of a till: amount, payer, payment, events and listener calls. */
@Injectable()
export class TransactionPage {
  constructor(private readonly audit: AuditLogService) {}

  async show(visit: Visit): Promise<Answer> {
    return this.pageOf(visit, await find(visit, visit.query), false);
  }

  async reveal(visit: Visit): Promise<Answer> {
    const record = await find(visit, visit.form);
    this.audit.revealed(visit, `transaction ${record.reference} of till ${record.till}`);
    return this.pageOf(visit, record, true);
  }

  /** A browser that loads the address of the number gets the list, because the address does not name the transaction. */
  revealed(visit: Visit): Answer {
    return redirect(visit.link('transactions'));
  }

  private async pageOf(
    visit: Visit,
    record: TillTransaction,
    isRevealed: boolean,
  ): Promise<Answer> {
    const { reference, index, received, reversal, webhookDeliveryIds: ids } = record;
    const money = received ?? reversal;
    const { common } = WORDS;
    const { store, name } = visit.account;
    const [events, deliveries, refunds] = await Promise.all([
      store.events.list(name, transactionStream(reference, index)),
      ids.length > 0
        ? store.deliveries.list(name, { ids }, { limit: MOST_DELIVERIES })
        : { items: [] },
      refundsOf(visit, reference),
    ]);
    const isBack = reversal !== null && wentBack(reversal, received) === 'all';
    const canRefund = received !== null && !isBack;
    // For money of a payment, listeners get the event of the payment. Often nobody listens to this event as well.
    const hasListener = events.some(({ calls }) => calls.length > 0);
    const entries = timelineOf(visit, record, events, deliveries.items);
    const body = html`<p class="crumb">
        <a href="${visit.link('transactions')}">${WORDS.transactions.title}</a>
      </p>
      <div class="title">
        <h1>${moneyOf(money?.amount ?? null, money?.currency ?? null)}</h1>
        ${isBack ? state('reversed') : text(money?.status ?? '')}
      </div>
      ${hasListener && listenerSummary(visit, events)}
      ${canRefund && html`<div class="actions">${refundLink(visit, { till: record.till, reference })}</div>`}
      <div class="columns">
        <section aria-labelledby="timeline">
          <h2 id="timeline">${common.timeline}</h2>
          ${timeline(visit, record.createdAt, entries)}
        </section>
        <section aria-labelledby="details">
          <h2 id="details">${common.details}</h2>
          ${this.details(visit, record, isRevealed)} ${refunds}
          ${rawPart(common.dataFromPlatform, received?.raw, isRevealed)}
          ${rawPart('Data of the reversal', reversal?.raw, isRevealed)}
        </section>
      </div>`;
    return page('transactions', `Transaction ${reference}`, body);
  }

  private details(visit: Visit, record: TillTransaction, isRevealed: boolean): Html {
    const { reference, tills, paymentId, paymentLinkId, webhookEventIds } = record;
    const money = record.received ?? record.reversal;
    const { common, transactions } = WORDS;
    return facts([
      [common.reference, html`<span class="mono">${text(reference)}</span>`],
      [common.till, html`<span class="mono">${text(tills.join(', '))}</span>`],
      record.reversal && [
        transactions.wentBack,
        moneyOf(
          record.reversal.amount ?? money?.amount ?? null,
          record.reversal.currency ?? money?.currency ?? null,
        ),
      ],
      [transactions.payer, text(payerOf(record, isRevealed))],
      [common.phone, phone(visit, record, isRevealed)],
      ['Kind', text(money?.type ?? common.unknown)],
      money?.cardNumber != null && ['Card', text(`ends in ${money.cardNumber}`)],
      money?.settled != null && ['Settled', money.settled ? 'yes' : 'no'],
      ['System', text(money?.system ?? common.unknown)],
      [common.originated, visit.times.showText(money?.originationTime ?? null)],
      ['First seen', visit.times.show(record.createdAt)],
      paymentLinkId
        ? [
            common.paymentLink,
            html`<a
              class="mono"
              href="${visit.link(`payment-links/${encodeURIComponent(paymentLinkId)}`)}"
              >${paymentLinkId}</a
            >`,
          ]
        : [
            common.payment,
            paymentId
              ? html`<a
                  class="mono"
                  href="${visit.link(`payments/${encodeURIComponent(paymentId)}`)}"
                  >${paymentId}</a
                >`
              : common.noneKnown,
          ],
      webhookEventIds.length > 0 && [
        'Webhook events',
        html`<ul class="plain">
          ${webhookEventIds.map((id) => html`<li class="mono">${text(id, 80)}</li>`)}
        </ul>`,
      ],
    ]);
  }
}

async function find({ account }: Visit, fields: URLSearchParams): Promise<TillTransaction> {
  const till = fields.get('till') ?? '';
  const reference = fields.get('reference') ?? '';
  const record =
    till && reference && [till, reference].every(isSearchable)
      ? await account.store.transactions.findTyped(account.name, reference)
      : null;
  const found = record && transactionsIn(record).find(({ tills }) => tills.includes(till));
  if (!found) throw notFound('transaction');
  return found;
}

function phone(visit: Visit, record: TillTransaction, isRevealed: boolean): Html {
  const number = (record.received ?? record.reversal)?.senderPhoneNumber ?? null;
  if (isRevealed && number) {
    return html`<strong class="phone" data-revealed>${text(formatPhone(number), 60)}</strong>`;
  }
  return html`${maskedPhone(number)}
  ${
    number &&
    buttonForm(visit, {
      action: visit.link('transaction/phone'),
      look: 'inline',
      repeated: { till: record.till, reference: record.reference },
      button: { label: WORDS.common.showNumber, look: 'small' },
    })
  }`;
}
