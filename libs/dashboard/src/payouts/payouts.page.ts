import { Injectable } from '@nestjs/common';
import { isPayout, type PayoutRecord } from '@tillkit/payments/internal/store';
import { html } from '@tillkit/pages';
import { buttonForm } from '../actions/form.fragment.js';
import { text } from '../html/text.fragment.js';
import { OperationPage, type OperationParts } from '../operations/operation.page.js';
import { pathOf } from '../operations/operation-kinds.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';
import { destinationsTable } from './destinations-table.fragment.js';
import { waits } from './payout-approval.page.js';

/** A payout with its destinations. */
@Injectable()
export class PayoutsPage extends OperationPage<PayoutRecord> {
  protected readonly is = isPayout;

  protected parts(visit: Visit, payout: PayoutRecord, isRevealed: boolean): OperationParts {
    const { payout: words, common } = WORDS;
    const { id, sourceIdentifier, requestedBy, recipients } = payout;
    const path = visit.link(pathOf(payout));
    const hasPhone = recipients.some((recipient) => recipient?.type === 'mobile_wallet');
    return {
      title: `Payout ${id}`,
      details: [sourceIdentifier !== null && [words.source, text(sourceIdentifier)]],
      links: [
        waits(payout)
          ? html`<a class="button" href="${path}/approve">Approve or decline</a>`
          : null,
      ],
      above: html`${waits(payout) && html`<p class="notice">It waits for the approval of a second person. Nothing was sent yet.</p>`}
        <h2>${words.destinations}</h2>
        ${destinationsTable(payout, isRevealed)}
        ${
          hasPhone &&
          !isRevealed &&
          buttonForm(visit, {
            action: `${path}/phones`,
            look: 'actions',
            button: { label: common.showNumber, look: 'quiet small' },
          })
        }`,
      requestedBy,
    };
  }
}
