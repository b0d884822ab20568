import { Injectable } from '@nestjs/common';
import type { PayoutRecord } from '@tillkit/payments/internal/store';
import { html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { text } from '../html/text.fragment.js';
import { operationPage } from '../operations/operation-page.fragment.js';
import type { Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Visit } from '../web/visit.dto.js';
import { destinationsTable } from './destinations-table.fragment.js';
import { payoutOf, waits } from './payout-approval.page.js';
import { WORDS } from '../words/english.words.js';

/** A payout with its destinations. */
@Injectable()
export class PayoutsPage {
  constructor(private readonly audit: AuditLogService) {}

  async show(visit: Visit, id: string): Promise<Answer> {
    return this.pageOf(visit, await payoutOf(visit, id), false);
  }

  /** Shows the phone numbers in this response only. */
  async reveal(visit: Visit, id: string): Promise<Answer> {
    const payout = await payoutOf(visit, id);
    this.audit.revealed(visit, `payout ${id}`);
    return this.pageOf(visit, payout, true);
  }

  private pageOf(visit: Visit, payout: PayoutRecord, isRevealed: boolean): Promise<Answer> {
    const { payout: words, common } = WORDS;
    const { id, sourceIdentifier, requestedBy, recipients } = payout;
    const path = `payouts/${encodeURIComponent(id)}`;
    const hasPhone = recipients.some((recipient) => recipient?.type === 'mobile_wallet');
    const above = html`${waits(payout) && html`<p class="notice">It waits for the approval of a second person. Nothing was sent yet.</p>`}
      <h2>${words.destinations}</h2>
      ${destinationsTable(payout, isRevealed)}
      ${
        hasPhone &&
        !isRevealed &&
        html`<form class="actions" method="post" action="${visit.link(`${path}/phones`)}">
          <button class="quiet small">${common.showNumber}</button> ${inAccount(visit)}
        </form>`
      }`;
    return operationPage(visit, payout, {
      section: 'payouts',
      list: 'Payouts',
      title: `Payout ${id}`,
      details: [sourceIdentifier !== null && [words.source, text(sourceIdentifier)]],
      links: [
        waits(payout)
          ? html`<a class="button" href="${visit.link(`${path}/approve`)}">Approve or decline</a>`
          : null,
      ],
      above,
      requestedBy,
    });
  }
}
