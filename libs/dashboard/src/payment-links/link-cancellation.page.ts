import { Injectable } from '@nestjs/common';
import { isPaymentLink, type PaymentLinkRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { actionProblem, problemBox } from '../actions/action-problem.format.js';
import { amountText } from '../actions/amount.format.js';
import { form } from '../actions/form.fragment.js';
import { facts } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { masked } from '../html/text.fragment.js';
import { operationOf } from '../operations/operation-kinds.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

/** Cancels a payment link, after a page that shows which link it is. */
@Injectable()
export class LinkCancellationPage {
  constructor(private readonly audit: AuditLogService) {}

  async show(visit: Visit, id: string): Promise<Answer> {
    return this.pageOf(visit, await operationOf(visit, id, isPaymentLink));
  }

  async cancel(visit: Visit, id: string): Promise<Answer> {
    await operationOf(visit, id, isPaymentLink);
    try {
      const { state } = await visit.account.paymentLinks.cancel(id, { by: visit.operator });
      this.audit.changed(visit, `cancelled payment link ${id}`);
      const notice = state === 'failed' ? 'link-cancelled' : 'link-not-cancelled';
      return redirect(visit.link(`payment-links/${encodeURIComponent(id)}`, { notice }));
    } catch (error) {
      const problem = actionProblem(visit, error);
      if (!problem) throw error;
      return this.pageOf(visit, await operationOf(visit, id, isPaymentLink), problem.text);
    }
  }

  private pageOf(visit: Visit, link: PaymentLinkRecord, problem: Html | null = null): Answer {
    const { paymentLink: words, linkForm, actions, common } = WORDS;
    const { id, amount, paymentReference } = link;
    const path = visit.link(`payment-links/${encodeURIComponent(id)}`);
    const body = html`<h1>${words.cancelTitle}</h1>
      ${problemBox(problem)}
      ${facts([
        [common.amount, money(amount)],
        paymentReference !== null && [
          linkForm.labels.paymentReference,
          masked(paymentReference, 500),
        ],
      ])}
      ${form(visit, {
        action: `${path}/cancel`,
        look: 'review',
        intro: 'Nobody can pay at the link afterwards. A customer who pays first has paid.',
        button: { label: `Cancel the link for ${amountText(amount)}` },
      })}
      <p><a href="${path}">${actions.leave}</a></p>`;
    return page('payment-links', words.cancelTitle, body, {
      status: problem ? 409 : 200,
      isForm: true,
    });
  }
}
