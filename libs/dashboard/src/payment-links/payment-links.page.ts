import { Injectable } from '@nestjs/common';
import type { PaymentLinkRecord } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { copyButton } from '../html/payload.fragment.js';
import { masked, text } from '../html/text.fragment.js';
import { operationPage } from '../operations/operation-page.fragment.js';
import { refundLink, refundsOf } from '../refunds/refunds-of-money.fragment.js';
import type { Answer } from '../web/answer.dto.js';
import type { Visit } from '../web/visit.dto.js';
import { linkOf } from './link-cancellation.page.js';
import { linkPayer } from './link-payer.fragment.js';

/** A payment link with its URL. */
@Injectable()
export class PaymentLinksPage {
  async show(visit: Visit, id: string): Promise<Answer> {
    const link = await linkOf(visit, id);
    const { paymentLinks, paymentLink: words, linkForm, common, transactions } = visit.words;
    const { tillNumber, paymentReference, note, outcome, transaction, requestedBy } = link;
    const { reference = null } = transaction ?? {};
    const path = `payment-links/${encodeURIComponent(id)}`;
    const expiresAt = outcome?.expiresAt ?? null;
    return operationPage(visit, link, {
      section: 'payment-links',
      list: paymentLinks.title,
      title: words.title(id),
      details: [
        paymentReference !== null && [
          linkForm.labels.paymentReference,
          masked(paymentReference, 500),
        ],
        note !== null && note !== '' && [linkForm.labels.note, masked(note, 500)],
        [common.till, html`<span class="mono">${text(tillNumber)}</span>`],
        expiresAt !== null && [words.expires, visit.times.show(new Date(expiresAt))],
        transaction !== null && [transactions.payer, linkPayer(visit.words, link)],
        reference !== null && [
          common.reference,
          html`<a class="mono" href="${visit.link('transaction', { till: tillNumber, reference })}"
            >${text(reference)}</a
          >`,
        ],
      ],
      links: [
        link.state === 'pending'
          ? html`<a class="button quiet" href="${visit.link(`${path}/cancel`)}"
              >${words.cancelLink}</a
            >`
          : null,
        link.state === 'succeeded' ? refundLink(visit, { payment: id }) : null,
      ],
      above: html`${address(visit, link)} ${await refundsOf(visit, reference)}`,
      requestedBy,
    });
  }
}

/** The URL in a field from which it can be copied. */
function address({ words }: Visit, { outcome, state }: PaymentLinkRecord): Html | null {
  const { paymentLink, payload } = words;
  if (!outcome?.url)
    return state === 'pending' ? html`<p class="soft">${paymentLink.noUrl}</p>` : null;
  return html`<div class="address">
    <div class="field">
      <label for="url">${paymentLink.url}</label>
      <input id="url" class="mono" readonly value="${outcome.url}" />
    </div>
    ${copyButton(payload)}
  </div>`;
}
