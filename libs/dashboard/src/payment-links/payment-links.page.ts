import { Injectable } from '@nestjs/common';
import { isPaymentLink, type PaymentLinkRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { copyButton } from '../html/payload.fragment.js';
import { masked, text } from '../html/text.fragment.js';
import { OperationPage, type OperationParts } from '../operations/operation.page.js';
import { pathOf } from '../operations/operation-kinds.js';
import { refundLink, refundsOf } from '../refunds/refunds-of-money.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';
import { linkPayer } from './link-payer.fragment.js';

/** A payment link with its URL. */
@Injectable()
export class PaymentLinksPage extends OperationPage<PaymentLinkRecord> {
  protected readonly is = isPaymentLink;

  protected async parts(visit: Visit, link: PaymentLinkRecord): Promise<OperationParts> {
    const { linkForm, common, transactions } = WORDS;
    const { id, state, tillNumber, paymentReference, note, outcome, transaction } = link;
    const { reference = null } = transaction ?? {};
    const expiresAt = outcome?.expiresAt ?? null;
    const cancel = visit.link(`${pathOf(link)}/cancel`);
    return {
      title: `Payment link ${id}`,
      details: [
        paymentReference !== null && [
          linkForm.labels.paymentReference,
          masked(paymentReference, 500),
        ],
        note !== null && note !== '' && [linkForm.labels.note, masked(note, 500)],
        [common.till, html`<span class="mono">${text(tillNumber)}</span>`],
        expiresAt !== null && ['Can be paid until', visit.times.show(new Date(expiresAt))],
        transaction !== null && [transactions.payer, linkPayer(link)],
        reference !== null && [
          common.reference,
          html`<a class="mono" href="${visit.link('transaction', { till: tillNumber, reference })}"
            >${text(reference)}</a
          >`,
        ],
      ],
      links: [
        state === 'pending'
          ? html`<a class="button quiet" href="${cancel}">Cancel the link</a>`
          : null,
        state === 'succeeded' ? refundLink(visit, { payment: id }) : null,
      ],
      above: address(link),
      below: await refundsOf(visit, reference),
      requestedBy: link.requestedBy,
    };
  }
}

/** Returns the URL in a field from which it can be copied. */
function address({ outcome, state }: PaymentLinkRecord): Html | null {
  if (!outcome?.url)
    return state === 'pending'
      ? html`<p class="soft">
          The platform has not shown the address of the link yet. Read its status, or reload this
          page.
        </p>`
      : null;
  return html`<div class="address">
    <div class="field">
      <label for="url">Share this address</label>
      <input id="url" class="mono" readonly value="${outcome.url}" />
    </div>
    ${copyButton()}
  </div>`;
}
