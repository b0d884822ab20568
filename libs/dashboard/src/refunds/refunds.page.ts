import { Injectable } from '@nestjs/common';
import { isRefund, type RefundRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { masked, text } from '../html/text.fragment.js';
import { operationOf, pathOf } from '../operations/operation-kinds.js';
import { operationPage } from '../operations/operation-page.fragment.js';
import type { Answer } from '../web/answer.dto.js';
import { notFound } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

/** A refund, with the payment or link whose money goes back. */
@Injectable()
export class RefundsPage {
  async show(visit: Visit, id: string): Promise<Answer> {
    const refund = await operationOf(visit, id);
    if (!isRefund(refund)) throw notFound('operation');
    const { refunds, common, refundForm } = WORDS;
    const { reference, tillNumber, why, outcome, requestedBy } = refund;
    const transaction = visit.link('transaction', { till: tillNumber, reference });
    return operationPage(visit, refund, {
      section: 'refunds',
      list: refunds.title,
      title: `Refund ${id}`,
      details: [
        await payment(visit, refund),
        [
          'Money that goes back',
          html`<a class="mono" href="${transaction}">${text(reference)}</a>`,
        ],
        [common.till, html`<span class="mono">${text(tillNumber)}</span>`],
        why !== '' && [refundForm.why, masked(why, 500)],
        outcome?.reference != null && [
          'Reference of the refund',
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
  const { common } = WORDS;
  const found = await visit.account.store.operations.find(visit.account.name, paymentId);
  if (!found) return [common.payment, html`<span class="mono">${text(paymentId)}</span>`];
  const name = found.kind === 'payment_link' ? common.paymentLink : common.payment;
  return [name, html`<a class="mono" href="${visit.link(pathOf(found))}">${text(paymentId)}</a>`];
}
