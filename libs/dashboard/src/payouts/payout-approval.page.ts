import { Injectable } from '@nestjs/common';
import { isPayout, type PayoutRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { actionProblem, problemBox } from '../actions/action-problem.format.js';
import { amountText } from '../actions/amount.format.js';
import { form, readForm, type FormField } from '../actions/form.fragment.js';
import { facts } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { text } from '../html/text.fragment.js';
import { isDecided } from '../reviews/decisions.query.js';
import { operationOf } from '../operations/operation-kinds.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { PageError } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';
import { destinationsTable } from './destinations-table.fragment.js';
import { WORDS } from '../words/english.words.js';

const NOTE: FormField = { name: 'note', label: 'Why it is declined' };

interface Decision {
  notice: string;
  decide: () => Promise<void>;
  /** True when the operator has already made this decision. Then the second click of a double click succeeds too. */
  isDone: (current: PayoutRecord) => Promise<boolean> | boolean;
}

/** A second person decides here on a payout. The page repeats who gets which amount, then sends or declines the payout. */
@Injectable()
export class PayoutApprovalPage {
  constructor(private readonly audit: AuditLogService) {}

  async show(visit: Visit, id: string): Promise<Answer> {
    return this.pageOf(visit, await operationOf(visit, id, isPayout));
  }

  /** Approves the payout, which moves money. */
  async approve(visit: Visit, id: string): Promise<Answer> {
    const by = visit.operatorName;
    if (by === null) {
      const { unnamed } = WORDS.actions.problems.notApprovable;
      return this.pageOf(visit, await operationOf(visit, id, isPayout), html`${unnamed}`);
    }
    const { amount } = await operationOf(visit, id, isPayout);
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
    const { values, isUsable } = readForm([NOTE], visit.form);
    const { note = '' } = values;
    if (!isUsable) throw new PageError(400, WORDS.errors.note);
    await operationOf(visit, id, isPayout);
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
      const current = await operationOf(visit, id, isPayout);
      if (!problem.isUnknown && (await isDone(current))) return decided;
      return this.pageOf(visit, current, problem.text);
    }
  }

  private pageOf(visit: Visit, payout: PayoutRecord, problem: Html | null = null): Answer {
    const { approval: words, actions, payout: names } = WORDS;
    const { id, amount, requestedBy } = payout;
    const path = `payouts/${encodeURIComponent(id)}`;
    // The person who decides must see the whole numbers. Nobody else needs them.
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
  const to = payoutForm.several(transfers.length);
  return html`${form(visit, {
    action: `${path}/approve`,
    look: 'review',
    intro: actions.lastStep,
    button: { label: `Approve and pay ${amountText(amount)} to ${to}` },
  })}
  ${form(visit, {
    action: `${path}/decline`,
    look: 'review',
    fields: [NOTE],
    button: { label: 'Decline, and pay nobody', look: 'quiet' },
  })}`;
}

/** True when a payout waits for a second person. */
export function waits({ state, needsApproval, approvedBy }: PayoutRecord): boolean {
  return state === 'created' && needsApproval && approvedBy === null;
}
