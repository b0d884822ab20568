import { Injectable } from '@nestjs/common';
import { isRefund, operationIdOf, type RefundRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { masked, text } from '../html/text.fragment.js';
import { OperationPage, type OperationParts } from '../operations/operation.page.js';
import { pathOf } from '../operations/operation-kinds.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

/** A refund, with the payment or link whose money goes back. */
@Injectable()
export class RefundsPage extends OperationPage<RefundRecord> {
  protected readonly is = isRefund;

  protected async parts(visit: Visit, refund: RefundRecord): Promise<OperationParts> {
    const { common, refundForm } = WORDS;
    const { id, reference, tillNumber, why, outcome, requestedBy } = refund;
    const transaction = visit.link('transaction', { till: tillNumber, reference });
    return {
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
    };
  }
}

/** Returns the payment or link whose money goes back. */
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
