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
import { empty, table } from '../html/list.fragment.js';
import { moneyOf } from '../html/money.fragment.js';
import { text } from '../html/text.fragment.js';
import { TimeFormat } from '../html/time.format.js';
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

const LISTS = [
  {
    list: 'missingHere',
    title: 'Missing here',
    description: 'The platform lists the transaction, we do not have it. A sweep will find it.',
  },
  {
    list: 'missingThere',
    title: 'Missing there',
    description: 'We have the transaction, the platform does not list it.',
  },
  {
    list: 'different',
    title: 'Different',
    description: 'Both have the transaction, with different values.',
  },
  {
    list: 'matched',
    title: 'Matched',
    description: 'Both have the transaction, with the same values.',
  },
] as const;

const COLUMNS = [
  { name: 'Reference' },
  { name: 'Till' },
  { name: 'Here', isNumber: true },
  { name: 'Platform', isNumber: true },
  { name: 'Originated' },
  { name: 'Difference' },
  { name: 'Payment' },
] as const;

/** Compares the stored transactions with the platform's list. It changes nothing. */
@Injectable()
export class ReconciliationPage {
  /** The accounts that are being compared. */
  private readonly running = new Set<string>();

  constructor(
    private readonly times: TimeFormat,
    private readonly audit: AuditLogService,
  ) {}

  form(visit: Visit): Answer {
    return this.pageOf(visit, defaultInput(this.times, new Date()), null, 200);
  }

  /** Reads the platform's list. One comparison of an account runs at a time, because each one sends many requests. */
  async compare(visit: Visit): Promise<Answer> {
    const input = readInput(visit.form, this.times);
    const { window } = input;
    if (!window) return this.pageOf(visit, input, null, 400);
    const { name } = visit.account;
    if (this.running.has(name)) {
      const problem =
        'Another comparison of this account is running. Only one runs at a time. Try again later.';
      return this.pageOf(visit, { ...input, problem }, null, 409);
    }
    this.running.add(name);
    try {
      this.audit.changed(visit, 'compared the till with the platform');
      const report = await visit.account.get(ReconciliationService).report(window);
      return this.pageOf(visit, input, report, 200);
    } catch (error) {
      if (!(error instanceof PaymentsError) || error instanceof StoreUnavailableError) throw error;
      const problem = `The list of the platform could not be read completely. A report from part of it would show transactions as missing, so there is none. ${error.message}`;
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
    const body = html`<h1>Reconciliation</h1>
      <p class="soft">
        Compares our transactions with those that the platform lists, for at most ${MAX_DAYS} days.
        It changes nothing. Sweeps find what is missing here. A long window takes minutes, because
        each day needs its own requests.
      </p>
      <form class="filter filter--line" method="post" action="${visit.link('reconciliation')}">
        <div class="field">
          <label for="from">Originated from</label>
          <input
            id="from"
            name="from"
            type="datetime-local"
            value="${input.from.slice(0, 40)}"
            required
          />
        </div>
        <div class="field">
          <label for="to">until before</label>
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
      ${report && this.reportPart(visit, report)}`;
    return page('reconciliation', 'Reconciliation', body, { status });
  }

  private reportPart(visit: Visit, report: ReconciliationReport): Html {
    const days = `${report.from.slice(0, 10)}-${report.to.slice(0, 10)}`;
    const account = visit.isOneOfSeveral ? `${visit.account.name}-` : '';
    const name = `reconciliation-${account}${days}.csv`;
    // The file is part of the page: a second request for it could produce a different report.
    const file = `data:text/csv;charset=utf-8,${encodeURIComponent(reportCsv(report))}`;
    return html`<ul class="counts">
        ${LISTS.map(
          ({ list, title }) =>
            html`<li>
              <a href="#${list}"
                ><strong>${report[list].length.toLocaleString('en')}</strong>
                ${title.toLowerCase()}</a
              >
            </li>`,
        )}
        <li><a class="button quiet" download="${name}" href="${file}">Download as CSV</a></li>
      </ul>
      ${LISTS.map(({ list, title, description }) => this.listPart(visit, list, title, description, report[list]))}`;
  }

  private listPart(
    visit: Visit,
    id: string,
    title: string,
    description: string,
    lines: readonly ReportLine[],
  ): Html {
    const rows = lines.slice(0, MAX_LINES).map((line) => this.row(visit, line));
    return html`<section aria-labelledby="${id}">
      <h2 id="${id}" tabindex="-1">${title} (${lines.length.toLocaleString('en')})</h2>
      <p class="soft">${description}</p>
      ${rows.length > 0 ? table(`${title}: ${description}`, COLUMNS, rows) : empty('None.')}
      ${lines.length > MAX_LINES && html`<p class="soft">Only the first ${MAX_LINES} are shown. The CSV file has all.</p>`}
    </section>`;
  }

  private row(visit: Visit, line: ReportLine): (Html | string | null)[] {
    const { reference, tillNumber, amountHere, amountThere, currency, paymentId } = line;
    const amount = (value: string | null): Html | string =>
      value === null ? '' : moneyOf(value, currency);
    return [
      html`<span class="mono">${text(reference, 40)}</span>`,
      html`<span class="mono">${text(tillNumber, 40)}</span>`,
      amount(amountHere),
      amount(amountThere),
      this.times.showText(line.originatedAt),
      text(line.difference ?? '', 200),
      paymentId &&
        html`<a href="${visit.link(`payments/${encodeURIComponent(paymentId)}`)}">Payment</a>`,
    ];
  }
}
