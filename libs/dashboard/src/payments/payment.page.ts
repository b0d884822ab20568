import { Injectable } from '@nestjs/common';
import {
  isPayment,
  moneyLike,
  unownedAmong,
  type PaymentRecord,
} from '@tillkit/payments/internal/store';
import { html, type Html, type HtmlContent } from '@tillkit/pages';
import { buttonForm } from '../actions/form.fragment.js';
import { facts } from '../html/list.fragment.js';
import { moneyOf } from '../html/money.fragment.js';
import { rawPart } from '../html/payload.fragment.js';
import { formatPhone, maskedPhone } from '../html/phone.format.js';
import { LONG, masked, text } from '../html/text.fragment.js';
import { OperationPage, type OperationParts } from '../operations/operation.page.js';
import { orderNumberOf } from '../operations/order-number.format.js';
import { refundLink, refundsOf } from '../refunds/refunds-of-money.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';
import { nameOf } from './payments-table.fragment.js';

/** A payment with its customer and its transaction. */
@Injectable()
export class PaymentPage extends OperationPage<PaymentRecord> {
  protected readonly is = isPayment;

  protected async parts(
    visit: Visit,
    payment: PaymentRecord,
    isRevealed: boolean,
  ): Promise<OperationParts> {
    const { subscriber, state, tillNumber, transaction, id } = payment;
    const { email } = subscriber;
    const { common } = WORDS;
    const [refunds, unowned] = await Promise.all([
      refundsOf(visit, transaction?.reference ?? null),
      unownedMoney(visit, payment),
    ]);
    return {
      title: `Payment ${orderNumberOf(payment)}`,
      details: [
        ['Customer', text(nameOf(payment, isRevealed), LONG)],
        [common.phone, phone(visit, payment, isRevealed)],
        email ? ['Email', isRevealed ? text(email) : masked(email)] : null,
        [common.till, html`<span class="mono">${text(tillNumber)}</span>`],
      ],
      // Retention deletes the calls of old events together with the personal data. Then nobody knows which calls have completed.
      saysListeners: subscriber.phoneNumber !== '',
      links: [state === 'succeeded' ? refundLink(visit, { payment: id }) : null],
      above: unowned,
      below: html`${moneyPart(visit, payment, isRevealed)} ${refunds}`,
    };
  }
}

function phone(visit: Visit, payment: PaymentRecord, isRevealed: boolean): HtmlContent {
  const { phoneNumber } = payment.subscriber;
  if (isRevealed)
    return html`<strong class="phone" data-revealed>${formatPhone(phoneNumber)}</strong>`;
  return html`${maskedPhone(phoneNumber)}
  ${
    phoneNumber &&
    buttonForm(visit, {
      action: visit.link(`payments/${encodeURIComponent(payment.id)}/phone`),
      look: 'inline',
      button: { label: WORDS.common.showNumber, look: 'small' },
    })
  }`;
}

/** Returns money of the same phone, till and amount that no operation owns. The customer of a failed payment may have paid the till directly. */
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

/** Returns the transaction that paid it. */
function moneyPart(visit: Visit, payment: PaymentRecord, isRevealed: boolean): Html | null {
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
