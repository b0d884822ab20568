import { Injectable } from '@nestjs/common';
import { isRefund, operationIdOf, type RefundRecord } from '@tillkit/payments/internal/store';
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
  { paymentId, reference, tillNumber }: RefundRecord,
): Promise<readonly [string, Html] | null> {
  const { store, name } = visit.account;
  const sums = (await store.transactions.find(name, reference))?.sums ?? [];
  const sum = sums.find(({ tills }) => tills.includes(tillNumber));
  const id = paymentId ?? (sum && operationIdOf(sum));
  if (id == null) return null;
  const { common } = WORDS;
  const found = await store.operations.find(name, id);
  if (!found) return [common.payment, html`<span class="mono">${text(id)}</span>`];
  const label = found.kind === 'payment_link' ? common.paymentLink : common.payment;
  return [label, html`<a class="mono" href="${visit.link(pathOf(found))}">${text(id)}</a>`];
}
