import { Injectable } from '@nestjs/common';
import type { ReconciliationReport } from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';
import { csvOf, type CsvColumn } from '../csv/csv.format.js';
import { inAccount, inZone } from '../html/account.fragment.js';
import { empty, table } from '../html/list.fragment.js';
import { minorText, moneyOfMinor } from '../html/money.fragment.js';
import { count as shownCount } from '../html/number.format.js';
import { Comparisons } from '../reconciliation/comparisons.service.js';
import { reportLists } from '../reconciliation/report.fragment.js';
import { dayAfter, dayOf } from '../totals/period.dto.js';
import { page, type Answer, type File } from '../web/answer.dto.js';
import { isSearchable } from '../web/list.dto.js';
import { PageError } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';
import { sidesOf } from './report-sides.js';
import { statementsOf, type Entry, type Statement } from './statement.js';
import { WORDS } from '../words/english.words.js';

/** This time is before everything that a store has. */
const LONG_AGO = new Date(0);

interface StatementQuery {
  day: string;
  from: Date;
  to: Date;
  till: string | undefined;
}

/** The statement of a day: opening balance, money in, reversed, paid out, closing balance, and money without a payment. */
@Injectable()
export class StatementPage {
  constructor(private readonly comparisons: Comparisons) {}

  async show(visit: Visit): Promise<Answer> {
    return this.pageOf(visit, readQuery(visit, visit.query), null);
  }

  /** Shows the statement beside the list of the platform. */
  async compare(visit: Visit): Promise<Answer> {
    const query = readQuery(visit, visit.form);
    const comparison = await this.comparisons.compare(visit, query);
    if ('report' in comparison) return this.pageOf(visit, query, comparison.report);
    const { problem, status } = comparison;
    return this.pageOf(visit, query, null, { problem, status });
  }

  async file(visit: Visit): Promise<File> {
    const { day, ...query } = readQuery(visit, visit.query);
    const lines = (await read(visit, { day, ...query })).flatMap((statement) =>
      linesOf(statement).map((line) => ({
        day,
        timeZone: visit.times.zone,
        currency: statement.currency,
        ...line,
      })),
    );
    const owner = visit.isOneOfSeveral ? `${visit.account.name}-` : '';
    const chunks = [csvOf(COLUMNS, lines, true)];
    return { kind: 'file', name: `${owner}statement-${day}.csv`, type: 'text/csv', chunks };
  }

  private async pageOf(
    visit: Visit,
    query: StatementQuery,
    report: ReconciliationReport | null,
    failure: { problem: string; status: number } | null = null,
  ): Promise<Answer> {
    const { statement: text } = WORDS;
    const statements = await read(visit, query);
    const { day, till } = query;
    const file = visit.link('statement.csv', { day, till });
    const list = visit.link('transactions', { from: day, to: dayAfter(day), till });
    const body = html`<div class="title title--list">
        <h1>${text.titleOf(day)}</h1>
        <a class="button quiet" href="${file}" download>${WORDS.lists.csv}</a>
      </div>
      <p class="soft">${text.intro}</p>
      ${dayForm(visit, query)}
      ${query.to > new Date() && html`<p class="notice">${text.notOver}</p>`}
      ${statements.map((one) => statementTable(one))} ${statements.length === 0 && empty(text.none)}
      <p class="soft">${text.opening}</p>
      <p><a href="${list}">${text.transactions}</a></p>
      ${compareForm(visit, query, failure?.problem)} ${report && tied(visit, report)}`;
    const more = failure ? { status: failure.status } : {};
    return page('statement', text.titleOf(day), body, more);
  }
}

/** @throws PageError 400 when the day or the till is invalid, or when the day is before everything that a store has */
function readQuery({ times }: Visit, parameters: URLSearchParams): StatementQuery {
  const yesterday = dayAfter(dayOf(times, new Date()), -1);
  const day = parameters.get('day')?.trim() || yesterday;
  const till = parameters.get('till')?.trim() || undefined;
  const from = /^\d{4}-\d{2}-\d{2}$/.test(day) ? times.fromField(day) : null;
  if (!from || from < LONG_AGO || (till !== undefined && !isSearchable(till)))
    throw invalid('days');
  // We accept no years of more than four digits.
  const to = times.fromField(dayAfter(day));
  if (!to) throw invalid('lastDay');
  return { day, from, to, till };
}

function invalid(problem: 'days' | 'lastDay'): PageError {
  const { period } = WORDS.errors;
  return new PageError(400, { title: period.title, text: period[problem] });
}

async function read({ account }: Visit, { from, to, till }: StatementQuery): Promise<Statement[]> {
  const totals = await account.store.totals.read(account.name, {
    measures: ['movement'],
    boundaries: [LONG_AGO, from, to],
  });
  return statementsOf(
    totals.filter((total) => till === undefined || account.isSameTill(till, total.till)),
  );
}

function dayForm(visit: Visit, { day, till }: StatementQuery): Html {
  const { statement, common } = WORDS;
  const link = (days: number): string =>
    visit.link('statement', { day: dayAfter(day, days), till });
  return html`<div class="windows">
    <nav class="tabs" aria-label="${statement.day}">
      <a href="${link(-1)}">${statement.previous}</a> <a href="${link(1)}">${statement.next}</a>
    </nav>
    <form class="filter--line" method="get" action="${visit.link('statement')}">
      <div class="field">
        <label for="day">${statement.day}</label>
        <input id="day" name="day" type="date" value="${day}" required />
      </div>
      <div class="field">
        <label for="till">${common.till}</label>
        <input id="till" name="till" value="${till}" placeholder="${statement.allTills}" />
      </div>
      <button class="quiet">${common.apply}</button> ${inZone(visit)} ${inAccount(visit)}
    </form>
  </div>`;
}

/** An entry of a statement. The opening and the closing are not movements. */
interface Line {
  name: keyof typeof WORDS.statement.rows;
  count: number | null;
  minor: bigint;
}

function linesOf(statement: Statement): Line[] {
  const moved = (name: Line['name'], { count, minor }: Entry, sign: 1n | -1n): Line => ({
    name,
    count,
    minor: sign * minor,
  });
  return [
    { name: 'opening', count: null, minor: statement.opening },
    moved('received', statement.received, 1n),
    moved('reversed', statement.reversed, -1n),
    moved('paidOut', statement.paidOut, -1n),
    { name: 'closing', count: null, minor: statement.closing },
    moved('unmatched', statement.unmatched, 1n),
  ];
}

function statementTable(statement: Statement): Html {
  const { columns, rows, table: caption } = WORDS.statement;
  return table(
    caption(statement.currency),
    [
      { name: columns.entry, card: 'lead' },
      { name: columns.count, isNumber: true, card: 'time' },
      { name: columns.amount, isNumber: true, card: 'amount' },
    ],
    linesOf(statement).map(({ name, count, minor }) => [
      rows[name],
      count === null ? '' : shownCount(count),
      moneyOfMinor(minor, statement.currency),
    ]),
  );
}

const COLUMNS: readonly CsvColumn<Line & { day: string; timeZone: string; currency: string }>[] = [
  { name: 'day', cell: ({ day }) => day },
  { name: 'timeZone', cell: ({ timeZone }) => timeZone },
  { name: 'currency', cell: ({ currency }) => currency },
  { name: 'entry', cell: ({ name }) => name },
  { name: 'count', isNumber: true, cell: ({ count }) => count },
  { name: 'amount', isNumber: true, cell: ({ minor, currency }) => minorText(minor, currency) },
];

function compareForm(visit: Visit, { day, till }: StatementQuery, problem?: string): Html {
  return html`<form class="actions" method="post" action="${visit.link('statement')}">
    <input type="hidden" name="day" value="${day}" />
    <input type="hidden" name="till" value="${till}" />
    <button>${WORDS.statement.compare}</button> ${inAccount(visit)}
    ${problem && html`<p class="field-error" role="alert">${problem}</p>`}
  </form>`;
}

/** Compares the money that came in by our store and by the platform, and lists the transactions that differ. */
function tied(visit: Visit, report: ReconciliationReport): Html {
  const { tied: text, columns } = WORDS.statement;
  const differing =
    report.missingHere.length + report.missingThere.length + report.different.length;
  const rows = sidesOf(report).flatMap(({ currency, here, there }) => [
    [text.here, shownCount(here.count), moneyOfMinor(here.minor, currency)],
    [text.platform, shownCount(there.count), moneyOfMinor(there.minor, currency)],
    [
      text.difference,
      shownCount(here.count - there.count),
      moneyOfMinor(here.minor - there.minor, currency),
    ],
  ]);
  return html`<section aria-labelledby="tied">
    <h2 id="tied">${text.title}</h2>
    <p>
      <strong>${differing === 0 ? text.equal : text.different(differing)}</strong> ${text.onlyIn}
    </p>
    ${
      rows.length > 0 &&
      table(
        text.title,
        [
          { name: columns.entry, card: 'lead' },
          { name: columns.count, isNumber: true, card: 'time' },
          { name: columns.amount, isNumber: true, card: 'amount' },
        ],
        rows,
      )
    }
    ${differing > 0 && reportLists(visit, report)}
  </section>`;
}
