import { Injectable } from '@nestjs/common';
import { isPayment, isRefund, type RefundRecord } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { fullName } from '../html/name.format.js';
import { maskedPhone } from '../html/phone.format.js';
import { text } from '../html/text.fragment.js';
import { operationOf, pathOf } from '../operations/operation.kinds.js';
import { operationPage } from '../operations/operation-page.fragment.js';
import { operationsList } from '../operations/operations-list.fragment.js';
import type { Answer } from '../web/answer.dto.js';
import { notFound } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';

/** The list of refunds, and one refund. */
@Injectable()
export class RefundsPage {
  list(visit: Visit): Promise<Answer> {
    const { refunds: words, refundForm } = visit.words;
    return operationsList(visit, {
      kind: 'refund',
      section: 'refunds',
      words,
      is: isRefund,
      person: refundForm.to,
      persons: (refunds) => payers(visit, refunds),
      hasForm: false,
    });
  }

  async show(visit: Visit, id: string): Promise<Answer> {
    const refund = await operationOf(visit, id);
    if (!isRefund(refund)) throw notFound('operation');
    const { refunds, refund: words, common, refundForm } = visit.words;
    const { reference, tillNumber, why, outcome, requestedBy } = refund;
    const transaction = visit.link('transaction', { till: tillNumber, reference });
    return operationPage(visit, refund, {
      section: 'refunds',
      list: refunds.title,
      title: words.title(id),
      details: [
        await payment(visit, refund),
        [words.money, html`<a class="mono" href="${transaction}">${text(reference)}</a>`],
        [common.till, html`<span class="mono">${text(tillNumber)}</span>`],
        why !== '' && [refundForm.why, text(why, 500)],
        outcome?.reference != null && [
          words.ownReference,
          html`<span class="mono">${text(outcome.reference)}</span>`,
        ],
      ],
      requestedBy,
    });
  }
}

/** The payment or link whose money goes back. */
async function payment(
  visit: Visit,
  { paymentId }: RefundRecord,
): Promise<readonly [string, Html] | null> {
  if (paymentId === null) return null;
  const { common } = visit.words;
  const found = await visit.account.store.operations.find(visit.account.name, paymentId);
  if (!found) return [common.payment, html`<span class="mono">${text(paymentId)}</span>`];
  const name = found.kind === 'payment_link' ? common.paymentLink : common.payment;
  return [name, html`<a class="mono" href="${visit.link(pathOf(found))}">${text(paymentId)}</a>`];
}

/** Who gets the money, read for all refunds of a page at once. */
async function payers(visit: Visit, refunds: readonly RefundRecord[]): Promise<Html[]> {
  const { store, name } = visit.account;
  const ids = refunds.flatMap(({ paymentId }) => paymentId ?? []);
  const payments = await store.operations.findMany(name, [...new Set(ids)]);
  return refunds.map(({ paymentId, reference }) => {
    const paid = paymentId === null ? undefined : payments.get(paymentId);
    if (!paid || !isPayment(paid)) return html`<span class="mono">${text(reference, 40)}</span>`;
    const { firstName, lastName, phoneNumber } = paid.subscriber;
    const payer = fullName([firstName, lastName]) || visit.words.payments.nameRedacted;
    return html`${text(payer, 60)}<br />${maskedPhone(visit.words, phoneNumber)}`;
  });
}
