import { Injectable } from '@nestjs/common';
import type { Total } from '@tillkit/payments/internal/store';
import { html, type Html, type HtmlContent } from '@tillkit/pages';
import { csvOf, type CsvColumn } from '../csv/csv.format.js';
import { empty, table, type Column } from '../html/list.fragment.js';
import { minorText, moneyOfMinor } from '../html/money.fragment.js';
import { count as shownCount } from '../html/number.format.js';
import { text } from '../html/text.fragment.js';
import { page, type Answer, type File } from '../web/answer.dto.js';
import type { Visit } from '../web/visit.dto.js';
import { change } from './change.fragment.js';
import { periodTabs } from './period-tabs.fragment.js';
import { dayAfter, dayOf, readPeriod, type Period } from './period.dto.js';
import { netOf, nothing, sumsBy, sumsByCurrency, type Sums } from './sums.js';
import { SUMS, TotalsService } from './totals.service.js';
import { WORDS } from '../words/english.words.js';

/** The sums of one day and till. */
interface Row extends Sums {
  day: string;
  till: string;
}

/** Sums for each day and till. */
@Injectable()
export class TotalsPage {
  constructor(private readonly totals: TotalsService) {}

  async show(visit: Visit): Promise<Answer> {
    const { totals: words } = WORDS;
    const period = readPeriod(visit.query, visit.times, new Date());
    const { totals, before, at } = await this.totals.count(
      visit.account,
      byDay(visit, period),
      SUMS,
    );
    const rows = rowsOf(visit, byDay(visit, period), totals);
    const body = html`<div class="title title--list">
        <h1>${words.title}</h1>
        <a class="button quiet" href="${visit.link('totals.csv', period.query)}" download
          >${WORDS.lists.csv}</a
        >
      </div>
      <p class="soft">
        Payments, and payment links that were paid, count on the day on which they were recorded,
        money that was paid out on the day on which we learnt of it. Net is the volume without what
        was reversed and paid out.
      </p>
      ${periodTabs(visit, 'totals', period)} ${summary(period, totals, before)}
      ${rows.length > 0 ? dayTable(rows) : empty('Nothing was recorded in this period.')}
      <p class="soft small">${WORDS.overview.counted(visit.times.show(at))}</p>`;
    return page('totals', words.title, body);
  }

  async file(visit: Visit): Promise<File> {
    const period = readPeriod(visit.query, visit.times, new Date());
    const { totals } = await this.totals.count(visit.account, byDay(visit, period), SUMS);
    const rows = rowsOf(visit, byDay(visit, period), totals);
    const owner = visit.isOneOfSeveral ? `${visit.account.name}-` : '';
    const name = `${owner}totals-${period.firstDay}-${period.lastDay}.csv`;
    return { kind: 'file', name, type: 'text/csv', chunks: [csvOf(COLUMNS, rows, true)] };
  }
}

/** Returns the same period with a step for each day. */
function byDay({ times }: Visit, period: Period): Period {
  const starts: Date[] = [];
  for (let day = period.firstDay; day <= period.lastDay; day = dayAfter(day)) {
    starts.push(times.fromField(day) as Date);
  }
  const end = period.boundaries.at(-1) as Date;
  const boundaries = [...starts.filter((start) => start < end), end];
  return { ...period, boundaries, stepMs: 24 * 3_600_000 };
}

/** A till with aliases has one row, under its own number. */
function rowsOf(
  { account, times }: Visit,
  { boundaries }: Period,
  totals: readonly Total[],
): Row[] {
  const groups = sumsBy(totals, ({ span, till, currency }) =>
    JSON.stringify([span, account.ownNumberOf(till), currency]),
  );
  return [...groups]
    .map(([key, sums]) => {
      const [span, till] = JSON.parse(key) as [number, string];
      return { ...sums, day: dayOf(times, boundaries[span] as Date), till };
    })
    .sort(
      (one, other) =>
        other.day.localeCompare(one.day) ||
        one.till.localeCompare(other.till) ||
        one.currency.localeCompare(other.currency),
    );
}

/** Returns the sums of the whole period, with those of the time before. */
function summary(period: Period, totals: readonly Total[], before: readonly Total[]): Html | null {
  const sums = sumsByCurrency(totals);
  if (sums.length === 0) return null;
  const earlier = sumsByCurrency(before);
  const rows = sums.flatMap((now) => {
    const then = earlier.find(({ currency }) => currency === now.currency) ?? nothing(now.currency);
    const [name, ...changes] = changesOf(now, then);
    return [
      cellsOf(
        period.firstDay === period.lastDay
          ? `On ${period.firstDay}`
          : `${period.firstDay} to ${period.lastDay}`,
        now,
      ),
      cellsOf('The time before', then),
      ...(changes.some((one) => one !== null) ? [[name, ...changes]] : []),
    ];
  });
  return table('The period and the time before', columnsOf(WORDS.periods.title), rows);
}

/** Returns the columns of {@link cellsOf}. */
function columnsOf(first: string): Column[] {
  const numbers = [
    'Payments',
    'Paid',
    'Volume',
    'Failed',
    'Reversed',
    'Went back',
    'Refunded by us',
    'Paid out',
    'Net',
  ];
  return [{ name: first }, ...numbers.map((name) => ({ name, isNumber: true }))];
}

function cellsOf(name: HtmlContent, sums: Sums): HtmlContent[] {
  const amount = (minor: bigint): Html => moneyOfMinor(minor, sums.currency);
  return [
    name,
    shownCount(sums.payments),
    shownCount(sums.paid),
    amount(sums.volume),
    shownCount(sums.failed),
    shownCount(sums.reversed),
    amount(sums.reversedVolume),
    amount(sums.refunded),
    amount(sums.paidOut),
    amount(netOf(sums)),
  ];
}

function changesOf(now: Sums, then: Sums): HtmlContent[] {
  return [
    'Change',
    change(now.payments, then.payments),
    change(now.paid, then.paid),
    change(now.volume, then.volume),
    change(now.failed, then.failed),
    change(now.reversed, then.reversed),
    change(now.reversedVolume, then.reversedVolume),
    change(now.refunded, then.refunded),
    change(now.paidOut, then.paidOut),
    change(netOf(now), netOf(then)),
  ];
}

function dayTable(rows: readonly Row[]): Html {
  const [day, ...numbers] = columnsOf('Day');
  const cells = rows.map((row) => {
    const [, ...values] = cellsOf('', row);
    const shown = row.till === '' ? 'no till' : text(row.till, 40);
    return [row.day, shown, ...values];
  });
  return table(
    'Totals by day and till, latest first',
    [day!, { name: WORDS.common.till }, ...numbers],
    cells,
  );
}

const COLUMNS: readonly CsvColumn<Row>[] = [
  { name: 'day', cell: ({ day }) => day },
  { name: 'till', cell: ({ till }) => till },
  { name: 'currency', cell: ({ currency }) => currency },
  { name: 'payments', isNumber: true, cell: ({ payments }) => payments },
  { name: 'paid', isNumber: true, cell: ({ paid }) => paid },
  { name: 'volume', isNumber: true, cell: (row) => minorText(row.volume, row.currency) },
  { name: 'failed', isNumber: true, cell: ({ failed }) => failed },
  { name: 'reversed', isNumber: true, cell: ({ reversed }) => reversed },
  {
    name: 'reversedVolume',
    isNumber: true,
    cell: (row) => minorText(row.reversedVolume, row.currency),
  },
  { name: 'refunded', isNumber: true, cell: (row) => minorText(row.refunded, row.currency) },
  { name: 'paidOut', isNumber: true, cell: (row) => minorText(row.paidOut, row.currency) },
  { name: 'net', isNumber: true, cell: (row) => minorText(netOf(row), row.currency) },
];
