import type { ReconciliationReport } from '@tillkit/payments';
import type { ReportLine } from '@tillkit/payments/types';
import { html, type Html } from '@tillkit/pages';
import { empty, table, type Column } from '../html/list.fragment.js';
import { moneyOf } from '../html/money.fragment.js';
import { count } from '../html/number.format.js';
import { text } from '../html/text.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import { reportCsv } from './report-csv.format.js';
import { WORDS } from '../words/english.words.js';

/** Maximum number of lines of each list on the page. The CSV file has all of them. */
const MAX_LINES = 500;

const LISTS = ['missingHere', 'missingThere', 'different', 'matched'] as const;

export function reportLists(visit: Visit, report: ReconciliationReport): Html {
  const { lists } = WORDS.reconciliation;
  const days = `${report.from.slice(0, 10)}-${report.to.slice(0, 10)}`;
  const account = visit.isOneOfSeveral ? `${visit.account.name}-` : '';
  const name = `reconciliation-${account}${days}.csv`;
  // The page contains the file, because a second request could produce a different report.
  const file = `data:text/csv;charset=utf-8,${encodeURIComponent(reportCsv(report))}`;
  return html`<ul class="counts">
      ${LISTS.map(
        (list) =>
          html`<li>
            <a href="#${list}"
              >${lists[list].count(html`<strong>${count(report[list].length)}</strong>`)}</a
            >
          </li>`,
      )}
      <li><a class="button quiet" download="${name}" href="${file}">Download as CSV</a></li>
    </ul>
    ${LISTS.map((list) => listPart(visit, list, report[list]))}`;
}

function listPart(visit: Visit, list: (typeof LISTS)[number], lines: readonly ReportLine[]): Html {
  const { heading, lists, first } = WORDS.reconciliation;
  const { title, description } = lists[list];
  const rows = lines.slice(0, MAX_LINES).map((line) => row(visit, line));
  return html`<section aria-labelledby="${list}">
    <h2 id="${list}" tabindex="-1">${heading(title, lines.length)}</h2>
    <p class="soft">${description}</p>
    ${rows.length > 0 ? table(title, columnsOf(), rows) : empty('None.')}
    ${lines.length > MAX_LINES && html`<p class="soft">${first(MAX_LINES)}</p>`}
  </section>`;
}

function row(visit: Visit, line: ReportLine): (Html | string | null)[] {
  const { reference, tillNumber, amountHere, amountThere, currency } = line;
  const amount = (value: string | null): Html | string =>
    value === null ? '' : moneyOf(value, currency);
  return [
    html`<span class="mono">${text(reference, 40)}</span>`,
    html`<span class="mono">${text(tillNumber, 40)}</span>`,
    amount(amountHere),
    amount(amountThere),
    visit.times.showText(line.originatedAt),
    text(line.difference ?? '', 200),
    ownerLink(visit, line),
  ];
}

function ownerLink(visit: Visit, { paymentId, paymentLinkId }: ReportLine): Html | null {
  const { common } = WORDS;
  const [path, id, name] = paymentId
    ? (['payments', paymentId, common.payment] as const)
    : (['payment-links', paymentLinkId, common.paymentLink] as const);
  return id === null
    ? null
    : html`<a href="${visit.link(`${path}/${encodeURIComponent(id)}`)}">${name}</a>`;
}

function columnsOf(): Column[] {
  const { common } = WORDS;
  return [
    { name: common.reference },
    { name: common.till },
    { name: 'Here', isNumber: true },
    { name: 'Platform', isNumber: true },
    { name: common.originated },
    { name: 'Difference' },
    { name: common.payment },
  ];
}
