import { Injectable } from '@nestjs/common';
import {
  PaymentsError,
  ReconciliationService,
  StoreUnavailableError,
  type ReconciliationReport,
  type ReportLine,
} from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { empty, table, type Column } from '../html/list.fragment.js';
import { moneyOf } from '../html/money.fragment.js';
import { count } from '../html/number.format.js';
import { text } from '../html/text.fragment.js';
import { page, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Visit } from '../web/visit.dto.js';
import {
  defaultInput,
  MAX_DAYS,
  readInput,
  type ReconciliationInput,
} from './reconciliation-window.dto.js';
import { reportCsv } from './report-csv.format.js';

/** Maximum number of lines of each list on the page. The CSV file has all of them. */
const MAX_LINES = 500;

const LISTS = ['missingHere', 'missingThere', 'different', 'matched'] as const;

/** Compares the stored transactions with the platform's list. It changes nothing. */
@Injectable()
export class ReconciliationPage {
  /** The accounts that are being compared. */
  private readonly running = new Set<string>();

  constructor(private readonly audit: AuditLogService) {}

  form(visit: Visit): Answer {
    return this.pageOf(visit, defaultInput(visit.times, new Date()), null, 200);
  }

  /** Reads the platform's list. One comparison of an account runs at a time, because each one sends many requests. */
  async compare(visit: Visit): Promise<Answer> {
    const input = readInput(visit.words, visit.form, visit.times);
    const { window } = input;
    const { problems } = visit.words;
    if (!window) return this.pageOf(visit, input, null, 400);
    const { name } = visit.account;
    if (this.running.has(name)) {
      return this.pageOf(visit, { ...input, problem: problems.comparing }, null, 409);
    }
    this.running.add(name);
    try {
      this.audit.changed(visit, 'compared the till with the platform');
      const report = await visit.account.get(ReconciliationService).report(window);
      return this.pageOf(visit, input, report, 200);
    } catch (error) {
      if (!(error instanceof PaymentsError) || error instanceof StoreUnavailableError) throw error;
      const problem = problems.incomplete(error.message);
      return this.pageOf(visit, { ...input, problem }, null, 502);
    } finally {
      this.running.delete(name);
    }
  }

  private pageOf(
    visit: Visit,
    input: ReconciliationInput,
    report: ReconciliationReport | null,
    status: number,
  ): Answer {
    const { common, reconciliation } = visit.words;
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
        <button>${reconciliation.compare}</button> ${inAccount(visit)}
        ${input.problem && html`<p class="field-error" role="alert">${input.problem}</p>`}
      </form>
      ${report && this.reportPart(visit, report)}`;
    return page('reconciliation', reconciliation.title, body, { status });
  }

  private reportPart(visit: Visit, report: ReconciliationReport): Html {
    const { words } = visit;
    const { download, lists } = words.reconciliation;
    const days = `${report.from.slice(0, 10)}-${report.to.slice(0, 10)}`;
    const account = visit.isOneOfSeveral ? `${visit.account.name}-` : '';
    const name = `reconciliation-${account}${days}.csv`;
    // The file is part of the page: a second request for it could produce a different report.
    const file = `data:text/csv;charset=utf-8,${encodeURIComponent(reportCsv(report))}`;
    return html`<ul class="counts">
        ${LISTS.map(
          (list) =>
            html`<li>
              <a href="#${list}"
                >${lists[list].count(html`<strong>${count(words, report[list].length)}</strong>`)}</a
              >
            </li>`,
        )}
        <li><a class="button quiet" download="${name}" href="${file}">${download}</a></li>
      </ul>
      ${LISTS.map((list) => this.listPart(visit, list, report[list]))}`;
  }

  private listPart(visit: Visit, list: (typeof LISTS)[number], lines: readonly ReportLine[]): Html {
    const { heading, lists, none, first } = visit.words.reconciliation;
    const { title, description } = lists[list];
    const rows = lines.slice(0, MAX_LINES).map((line) => this.row(visit, line));
    return html`<section aria-labelledby="${list}">
      <h2 id="${list}" tabindex="-1">${heading(title, lines.length)}</h2>
      <p class="soft">${description}</p>
      ${rows.length > 0 ? table(title, columnsOf(visit), rows) : empty(none)}
      ${lines.length > MAX_LINES && html`<p class="soft">${first(MAX_LINES)}</p>`}
    </section>`;
  }

  private row(visit: Visit, line: ReportLine): (Html | string | null)[] {
    const { reference, tillNumber, amountHere, amountThere, currency, paymentId } = line;
    const amount = (value: string | null): Html | string =>
      value === null ? '' : moneyOf(visit.words, value, currency);
    return [
      html`<span class="mono">${text(reference, 40)}</span>`,
      html`<span class="mono">${text(tillNumber, 40)}</span>`,
      amount(amountHere),
      amount(amountThere),
      visit.times.showText(line.originatedAt),
      text(line.difference ?? '', 200),
      paymentId &&
        html`<a href="${visit.link(`payments/${encodeURIComponent(paymentId)}`)}"
          >${visit.words.common.payment}</a
        >`,
    ];
  }
}

function columnsOf({ words }: Visit): Column[] {
  const { common, reconciliation } = words;
  const { here, platform, difference } = reconciliation.columns;
  return [
    { name: common.reference },
    { name: common.till },
    { name: here, isNumber: true },
    { name: platform, isNumber: true },
    { name: common.originated },
    { name: difference },
    { name: common.payment },
  ];
}
