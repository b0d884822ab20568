import { Injectable } from '@nestjs/common';
import { isPayout, type PayoutRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { actionProblem, problemBox } from '../actions/action-problem.format.js';
import { amountText } from '../actions/amount.format.js';
import { field } from '../actions/field.fragment.js';
import { inAccount } from '../html/account.fragment.js';
import { facts } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { text } from '../html/text.fragment.js';
import { isDecided } from '../reviews/decisions.query.js';
import { operationOf } from '../operations/operation-kinds.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { isSearchable } from '../web/list.dto.js';
import { notFound, PageError } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';
import { destinationsTable } from './destinations-table.fragment.js';
import { WORDS } from '../words/english.words.js';

/** What a second person decides. */
interface Decision {
  notice: string;
  decide: () => Promise<void>;
  /** Whether the operator has decided so before: the second click of a double click asks for what is done. */
  isDone: (current: PayoutRecord) => Promise<boolean> | boolean;
}

/** The decision of a second person on a payout: it repeats who gets what, then sends or declines it. */
@Injectable()
export class PayoutApprovalPage {
  constructor(private readonly audit: AuditLogService) {}

  async show(visit: Visit, id: string): Promise<Answer> {
    return this.pageOf(visit, await payoutOf(visit, id));
  }

  /** Moves money. */
  async approve(visit: Visit, id: string): Promise<Answer> {
    const by = visit.operatorName;
    if (by === null) {
      const { unnamed } = WORDS.actions.problems.notApprovable;
      return this.pageOf(visit, await payoutOf(visit, id), html`${unnamed}`);
    }
    const { amount } = await payoutOf(visit, id);
    return this.decided(visit, id, {
      notice: 'payout-approved',
      decide: async () => {
        await visit.account.payouts.approve(id, { by });
        this.audit.changed(visit, `approved payout ${id} of ${amountText(amount)}`);
      },
      isDone: ({ approvedBy }) => approvedBy === by,
    });
  }

  async decline(visit: Visit, id: string): Promise<Answer> {
    const note = visit.field('note');
    if (!note || !isSearchable(note)) throw new PageError(400, WORDS.errors.note);
    await payoutOf(visit, id);
    return this.decided(visit, id, {
      notice: 'payout-declined',
      decide: async () => {
        await visit.account.payouts.decline(id, { by: visit.operator, note });
        this.audit.changed(visit, `declined payout ${id}`);
      },
      isDone: () => isDecided(visit, id, 'declined', note),
    });
  }

  private async decided(
    visit: Visit,
    id: string,
    { notice, decide, isDone }: Decision,
  ): Promise<Answer> {
    const decided = redirect(visit.link(`payouts/${encodeURIComponent(id)}`, { notice }));
    try {
      await decide();
      return decided;
    } catch (error) {
      const problem = actionProblem(visit, error);
      if (!problem) throw error;
      const current = await payoutOf(visit, id);
      if (!problem.isUnknown && (await isDone(current))) return decided;
      return this.pageOf(visit, current, problem.text);
    }
  }

  private pageOf(visit: Visit, payout: PayoutRecord, problem: Html | null = null): Answer {
    const { approval: words, actions, payout: names } = WORDS;
    const { id, amount, requestedBy } = payout;
    const path = `payouts/${encodeURIComponent(id)}`;
    // Who decides must see the whole numbers. Nobody else needs them.
    const isOpen = waits(payout);
    if (isOpen) this.audit.revealed(visit, `payout ${id}, to approve it`);
    const body = html`<h1>${words.title}</h1>
      ${problemBox(problem)} ${destinationsTable(payout, isOpen)}
      ${facts([
        [WORDS.payoutForm.sum, money(amount)],
        [names.requestedBy, text(requestedBy ?? WORDS.common.unknown)],
      ])}
      ${isOpen ? forms(visit, payout) : problem === null && problemBox(html`${actions.problems.notApprovable.not_waiting}`)}
      <p><a href="${visit.link(path)}">${actions.leave}</a></p>`;
    return page('payouts', words.title, body, { status: problem ? 409 : 200, isForm: true });
  }
}

function forms(visit: Visit, { id, amount, transfers }: PayoutRecord): Html {
  const { actions, payoutForm } = WORDS;
  const path = visit.link(`payouts/${encodeURIComponent(id)}`);
  return html`<form class="review" method="post" action="${path}/approve">
      <p>${actions.lastStep}</p>
      <p class="actions">
        <button>
          Approve and pay ${amountText(amount)} to ${payoutForm.several(transfers.length)}
        </button>
        ${inAccount(visit)}
      </p>
    </form>
    <form class="review" method="post" action="${path}/decline">
      <div class="fields">${field({ name: 'note', label: 'Why it is declined', value: '' })}</div>
      <p class="actions">
        <button class="quiet">Decline, and pay nobody</button> ${inAccount(visit)}
      </p>
    </form>`;
}

/** Whether a payout waits for a second person. */
export function waits({ state, needsApproval, approvedBy }: PayoutRecord): boolean {
  return state === 'created' && needsApproval && approvedBy === null;
}

/** @throws PageError 404 */
export async function payoutOf(visit: Visit, id: string): Promise<PayoutRecord> {
  const operation = await operationOf(visit, id);
  if (!isPayout(operation)) throw notFound('operation');
  return operation;
}
