import { Injectable } from '@nestjs/common';
import type { ReconciliationReport } from '@tillkit/payments';
import { html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { page, type Answer } from '../web/answer.dto.js';
import type { Visit } from '../web/visit.dto.js';
import { Comparisons } from './comparisons.service.js';
import {
  defaultInput,
  MAX_DAYS,
  readInput,
  type ReconciliationInput,
} from './reconciliation-window.dto.js';
import { reportLists } from './report.fragment.js';
import { WORDS } from '../words/english.words.js';

/** Compares the stored transactions with the platform's list. It changes nothing. */
@Injectable()
export class ReconciliationPage {
  constructor(private readonly comparisons: Comparisons) {}

  form(visit: Visit): Answer {
    return this.pageOf(visit, defaultInput(visit.times, new Date()), null, 200);
  }

  async compare(visit: Visit): Promise<Answer> {
    const input = readInput(visit.form, visit.times);
    if (!input.window) return this.pageOf(visit, input, null, 400);
    const comparison = await this.comparisons.compare(visit, input.window);
    if ('report' in comparison) return this.pageOf(visit, input, comparison.report, 200);
    const { problem, status } = comparison;
    return this.pageOf(visit, { ...input, problem }, null, status);
  }

  private pageOf(
    visit: Visit,
    input: ReconciliationInput,
    report: ReconciliationReport | null,
    status: number,
  ): Answer {
    const { common, reconciliation } = WORDS;
    const body = html`<h1>${reconciliation.title}</h1>
      <p class="soft">${reconciliation.intro(MAX_DAYS)}</p>
      <form class="filter filter--line" method="post" action="${visit.link('reconciliation')}">
        <div class="field">
          <label for="from">${common.from}</label>
          <input
            id="from"
            name="from"
            type="datetime-local"
            value="${input.from.slice(0, 40)}"
            required
          />
        </div>
        <div class="field">
          <label for="to">${common.to}</label>
          <input
            id="to"
            name="to"
            type="datetime-local"
            value="${input.to.slice(0, 40)}"
            required
          />
        </div>
        <button>Compare with the platform</button> ${inAccount(visit)}
        ${input.problem && html`<p class="field-error" role="alert">${input.problem}</p>`}
      </form>
      ${report && reportLists(visit, report)}`;
    return page('reconciliation', reconciliation.title, body, { status });
  }
}
