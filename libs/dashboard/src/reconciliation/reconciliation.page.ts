import { Injectable } from '@nestjs/common';
import {
  PaymentsError,
  StoreUnavailableError,
  type ReconciliationReport,
  type ReportLine,
} from '@tillkit/payments';
import { html, type Html } from '../html/html.template.js';
import { empty, table } from '../html/list.fragment.js';
import { moneyOf } from '../html/money.fragment.js';
import { text } from '../html/text.fragment.js';
import { TimeFormat } from '../html/time.format.js';
import { DashboardAccount } from '../start/dashboard.account.js';
import { page, type Answer } from '../web/answer.js';
import { LookupsLog } from '../web/lookups.log.js';
import type { Visit } from '../web/visit.js';
import {
  defaultInput,
  MOST_DAYS,
  readInput,
  type ReconciliationInput,
} from './reconciliation.window.js';
import { reportCsv } from './report.csv.js';

/** Lines of each list that the page shows; the file has all. */
const MOST_LINES = 500;

const LISTS = [
  {
    list: 'missingHere',
    title: 'Missing here',
    words: 'the platform lists it, we do not know it; a sweep will find it',
  },
  {
    list: 'missingThere',
    title: 'Missing there',
    words: 'we know it, the platform does not list it',
  },
  { list: 'different', title: 'Different', words: 'both know it, and not as the same' },
  { list: 'matched', title: 'Matched', words: 'both know it as the same' },
] as const;

const COLUMNS = [
  { name: 'Reference' },
  { name: 'Till' },
  { name: 'Here', isNumber: true },
  { name: 'There', isNumber: true },
  { name: 'Originated' },
  { name: 'Difference' },
  { name: 'Payment' },
] as const;

/** What we know and what the platform lists, side by side. It corrects nothing. */
@Injectable()
export class ReconciliationPage {
  private isRunning = false;

  constructor(
    private readonly account: DashboardAccount,
    private readonly times: TimeFormat,
    private readonly lookups: LookupsLog,
  ) {}

  form(visit: Visit): Answer {
    return this.pageOf(visit, defaultInput(this.times, new Date()), null, 200);
  }

  /** Asks the platform: one window at a time, since each is many requests to it. */
  async compare(visit: Visit): Promise<Answer> {
    const input = readInput(visit.form, this.times);
    const { window } = input;
    if (!window) return this.pageOf(visit, input, null, 400);
    if (this.isRunning) {
      const problem =
        'Somebody else’s comparison is under way: the platform is asked for one at a time.';
      return this.pageOf(visit, { ...input, problem }, null, 409);
    }
    this.isRunning = true;
    try {
      this.lookups.changed(visit, 'compared the till with the platform');
      const report = await this.account.payments.reconcile(window);
      return this.pageOf(visit, input, report, 200);
    } catch (error) {
      if (!(error instanceof PaymentsError) || error instanceof StoreUnavailableError) throw error;
      const problem = `The platform could not be read whole, and half a report would look like missing money. ${error.message}`;
      return this.pageOf(visit, { ...input, problem }, null, 502);
    } finally {
      this.isRunning = false;
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
        Compares what we know with what the platform lists, for ${MOST_DAYS} days at most. It reads
        only: what is missing here is found by sweeps. A long window takes minutes, since the
        platform is asked for each day of it.
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
        <button>Compare with the platform</button>
        ${input.problem && html`<p class="wrong" role="alert">${input.problem}</p>`}
      </form>
      ${report && this.reportPart(visit, report)}`;
    return page('reconciliation', 'Reconciliation', body, { status });
  }

  private reportPart(visit: Visit, report: ReconciliationReport): Html {
    const name = `reconciliation-${report.from.slice(0, 10)}-${report.to.slice(0, 10)}.csv`;
    // In the page itself: to ask the platform again for the file could give another report.
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
      ${LISTS.map(({ list, title, words }) => this.listPart(visit, list, title, words, report[list]))}`;
  }

  private listPart(
    visit: Visit,
    id: string,
    title: string,
    words: string,
    lines: readonly ReportLine[],
  ): Html {
    const rows = lines.slice(0, MOST_LINES).map((line) => this.row(visit, line));
    return html`<section aria-labelledby="${id}">
      <h2 id="${id}" tabindex="-1">${title} (${lines.length.toLocaleString('en')})</h2>
      <p class="soft">${words}</p>
      ${rows.length > 0 ? table(`${title}: ${words}`, COLUMNS, rows) : empty('None.')}
      ${lines.length > MOST_LINES && html`<p class="soft">The first ${MOST_LINES}; the file has all.</p>`}
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
        html`<a href="${visit.link(`payments/${encodeURIComponent(paymentId)}`)}">to it</a>`,
    ];
  }
}
