import { Injectable } from '@nestjs/common';
import type { PaymentLinkRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { copyButton } from '../html/payload.fragment.js';
import { masked, text } from '../html/text.fragment.js';
import { operationPage } from '../operations/operation-page.fragment.js';
import { refundLink, refundsOf } from '../refunds/refunds-of-money.fragment.js';
import type { Answer } from '../web/answer.dto.js';
import type { Visit } from '../web/visit.dto.js';
import { linkOf } from './link-cancellation.page.js';
import { linkPayer } from './link-payer.fragment.js';
import { WORDS } from '../words/english.words.js';

/** A payment link with its URL. */
@Injectable()
export class PaymentLinksPage {
  async show(visit: Visit, id: string): Promise<Answer> {
    const link = await linkOf(visit, id);
    const { linkForm, common, transactions } = WORDS;
    const { tillNumber, paymentReference, note, outcome, transaction, requestedBy } = link;
    const { reference = null } = transaction ?? {};
    const path = `payment-links/${encodeURIComponent(id)}`;
    const expiresAt = outcome?.expiresAt ?? null;
    return operationPage(visit, link, {
      section: 'payment-links',
      list: 'Payment links',
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
        link.state === 'pending'
          ? html`<a class="button quiet" href="${visit.link(`${path}/cancel`)}">Cancel the link</a>`
          : null,
        link.state === 'succeeded' ? refundLink(visit, { payment: id }) : null,
      ],
      above: html`${address(link)} ${await refundsOf(visit, reference)}`,
      requestedBy,
    });
  }
}

/** The URL in a field from which it can be copied. */
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
