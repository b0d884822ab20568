import { Injectable } from '@nestjs/common';
import { isPayout, type PayoutRecord } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { text } from '../html/text.fragment.js';
import { operationPage } from '../operations/operation-page.fragment.js';
import { operationsList } from '../operations/operations-list.fragment.js';
import type { Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Visit } from '../web/visit.dto.js';
import { destination } from './destination.fragment.js';
import { destinationsTable } from './destinations-table.fragment.js';
import { payoutOf, waits } from './payout-approval.page.js';

/** The list of payouts, and one payout with its destinations. */
@Injectable()
export class PayoutsPage {
  constructor(private readonly audit: AuditLogService) {}

  list(visit: Visit): Promise<Answer> {
    const { payouts: words, payout } = visit.words;
    return operationsList(visit, {
      kind: 'payout',
      section: 'payouts',
      words,
      is: isPayout,
      person: payout.to,
      persons: (payouts) => payouts.map((one) => receivers(visit, one)),
      hasForm: true,
    });
  }

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
    const { payouts, payout: words, common } = visit.words;
    const { id, sourceIdentifier, requestedBy, recipients } = payout;
    const path = `payouts/${encodeURIComponent(id)}`;
    const hasPhone = recipients.some((recipient) => recipient?.type === 'mobile_wallet');
    const above = html`${waits(payout) && html`<p class="notice">${words.waits}</p>`}
      <h2>${words.destinations}</h2>
      ${destinationsTable(visit, payout, isRevealed)}
      ${
        hasPhone &&
        !isRevealed &&
        html`<form class="actions" method="post" action="${visit.link(`${path}/phones`)}">
          <button class="quiet small">${common.showNumber}</button> ${inAccount(visit)}
        </form>`
      }`;
    return operationPage(visit, payout, {
      section: 'payouts',
      list: payouts.title,
      title: words.title(id),
      details: [sourceIdentifier !== null && [words.source, text(sourceIdentifier)]],
      links: [
        waits(payout)
          ? html`<a class="button" href="${visit.link(`${path}/approve`)}">${words.approve}</a>`
          : null,
      ],
      above,
      requestedBy,
    });
  }
}

/** The first destination, and how many more there are. */
function receivers({ words }: Visit, { transfers, recipients }: PayoutRecord): Html {
  const others = transfers.length - 1;
  return html`${destination(words, recipients[0] ?? null, false)}
  ${others > 0 && html`<br /><span class="soft">${words.payout.others(others)}</span>`}`;
}
