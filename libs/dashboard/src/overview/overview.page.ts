import { Injectable } from '@nestjs/common';
import { EventsService } from '@tillkit/payments';
import { isPayout, type Total } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { moneyOfMinor } from '../html/money.fragment.js';
import { count as shownCount, percentage } from '../html/number.format.js';
import { duration } from '../html/time.format.js';
import { waits } from '../payouts/payout-approval.page.js';
import { pausesOf } from '../sending/sending.page.js';
import { DashboardAccounts } from '../start/dashboard-accounts.service.js';
import { change } from '../totals/change.fragment.js';
import { periodTabs } from '../totals/period-tabs.fragment.js';
import { dayAfter, readPeriod, type Period } from '../totals/period.dto.js';
import {
  netOf,
  nothing,
  successRate,
  sumsByCurrency,
  withoutLinks,
  type Sums,
} from '../totals/sums.js';
import { timesOf } from '../totals/times.js';
import { ALL, TotalsService, type Counted } from '../totals/totals.service.js';
import { page, redirect, type Answer, type Json } from '../web/answer.dto.js';
import type { LinkQuery, Visit } from '../web/visit.dto.js';
import { figure } from './figure.fragment.js';
import { figuresOf } from './figures.format.js';
import { WORDS } from '../words/english.words.js';

/** Payouts that wait for approval are counted up to this number. */
const MAX_APPROVALS = 100;

/** We look at this many payouts that were not sent yet. Only a pause leaves many that wait for no approval. */
const MOST_CREATED = 1_000;

/** The overview: what needs attention, then the totals of a period with those of the time before. */
@Injectable()
export class OverviewPage {
  constructor(
    private readonly totals: TotalsService,
    private readonly accounts: DashboardAccounts,
  ) {}

  /** Links of pages are relative and would not work at the path itself. */
  start(visit: Visit): Answer {
    return redirect(visit.link('overview'));
  }

  async show(visit: Visit): Promise<Answer> {
    const period = readPeriod(visit.query, visit.times, new Date());
    const [counted, approvals, absent, pauses] = await Promise.all([
      this.totals.count(visit.account, period, ALL),
      approvalsOf(visit),
      visit.account.get(EventsService).missingListeners(),
      pausesOf(this.accounts.all, visit.account.name),
    ]);
    const figures = figuresOf(visit, period, counted.totals);
    const body = html`<h1 class="visually-hidden">${WORDS.overview.title}</h1>
      ${pauses.length > 0 && pausedNotice(visit)}
      ${attention(visit, period, counted, { approvals, absentListeners: absent.length })}
      ${periodTabs(visit, 'overview', period)} ${cards(visit, period, counted)}
      <div class="charts" data-statistics="${visit.link('statistics.json', period.query)}">
        ${figures.map((one) => figure(one))}
      </div>
      <p class="soft small">
        ${WORDS.overview.counted(visit.times.show(counted.at))}
        <a href="${visit.link('totals', period.query)}">By day and till</a>
      </p>`;
    return page('overview', WORDS.overview.title, body);
  }

  /** Returns the data of the charts. */
  async figures(visit: Visit): Promise<Json> {
    const period = readPeriod(visit.query, visit.times, new Date());
    const { totals } = await this.totals.count(visit.account, period, ALL);
    return { kind: 'json', value: { figures: figuresOf(visit, period, totals) } };
  }
}

function pausedNotice(visit: Visit): Html {
  return html`<p class="notice">
    ${WORDS.sending.isPaused}
    <a href="${visit.link('sending')}">By whom, and why</a>
  </p>`;
}

/**
 * Counts payouts that wait for a second person. Every other payout leaves the state `created` as soon as it is sent, or is too old to be
 * sent.
 */
async function approvalsOf({ account }: Visit): Promise<number> {
  const { items } = await account.store.operations.list(
    account.name,
    { kind: 'payout', states: ['created'] },
    { limit: MOST_CREATED },
  );
  return items.filter((payout) => isPayout(payout) && waits(payout)).length;
}

/** Returns the sums of each currency, and the speed and the rate of success of payments, compared with the time before. */
function cards(visit: Visit, period: Period, { totals, before }: Counted): Html {
  const earlier = sumsByCurrency(before);
  // The card links to the list of payments, which has no payment links.
  const [payments, paymentsBefore] = [totals, before].map((some) =>
    sumsByCurrency(withoutLinks(some)),
  ) as [Sums[], Sums[]];
  const link = (state: string, text: string): Html =>
    html`<a href="${visit.link('payments', { state, ...daysOf(period) })}">${text}</a>`;
  const found = sumsByCurrency(totals);
  const all = found.length > 0 ? found : [nothing('')];
  return html`${all.map((sums, index) => {
    const { currency } = sums;
    const of = (some: readonly Sums[]): Sums =>
      some.find((one) => one.currency === currency) ?? nothing(currency);
    const [then, own, ownBefore] = [of(earlier), of(payments), of(paymentsBefore)];
    const rate = successRate(own);
    const rateBefore = successRate(ownBefore);
    return html`<dl class="cards">
      ${card('Volume', moneyOfMinor(sums.volume, currency), change(sums.volume, then.volume))}
      ${card('Net', moneyOfMinor(netOf(sums), currency), change(netOf(sums), netOf(then)))}
      ${card(
        'Success rate',
        html`${rate === null ? WORDS.figures.nothing : percentage(rate)}`,
        rate !== null && rateBefore !== null && change(rate, rateBefore),
      )}
      ${card(
        'Payments',
        html`${shownCount(own.payments)}`,
        change(own.payments, ownBefore.payments),
        html`${link('succeeded', WORDS.overview.paid(own.paid - own.reversed))},
        ${link('failed', WORDS.overview.failed(own.failed))},
        ${link('reversed', WORDS.overview.reversed(own.reversed))}`,
      )}
      ${index === all.length - 1 && timeCard(totals, before)}
    </dl>`;
  })}`;
}

function timeCard(totals: readonly Total[], before: readonly Total[]): Html | null {
  const [now, then] = [timesOf(totals), timesOf(before)];
  if (!now) return null;
  return card('Time to complete', html`${duration(now.p50)}`, then && change(now.p50, then.p50));
}

function card(name: string, value: Html, compared: Html | null | false, more?: Html): Html {
  return html`<div class="card">
    <dt>${name}</dt>
    <dd><strong>${value}</strong> ${compared} ${more && html`<br />${more}`}</dd>
  </div>`;
}

interface Tile {
  count: string;
  label: string;
  to: string;
  query?: LinkQuery;
  needsAttention?: boolean;
}

/** Counts that need attention and are not in the totals. */
interface Found {
  approvals: number;
  absentListeners: number;
}

/** Shows first what needs attention, then what is in progress. Each tile links to its list. */
function attention(
  visit: Visit,
  period: Period,
  counted: Counted,
  { approvals, absentListeners }: Found,
): Html {
  const { tiles: labels } = WORDS.overview;
  const {
    deadLetters,
    unrecognised,
    openPayments,
    deliveries,
    oldestDeliveryMs,
    calls,
    oldestCallMs,
    inReview,
    oldestInReviewMs,
    passedGuard,
  } = counted.backlog;
  const { unmatched, unreported } = doubtfulMoney(counted.totals);
  const days = daysOf(period);
  const needed = (count: number, label: string, to: string, query?: LinkQuery): Tile => ({
    count: shownCount(count),
    label,
    to,
    needsAttention: count > 0,
    ...(query && { query }),
  });
  const orMore = (count: number): Partial<Tile> =>
    count > MAX_APPROVALS ? { count: WORDS.units.orMore(shownCount(MAX_APPROVALS)) } : {};
  const tiles: Tile[] = [
    needed(
      inReview,
      oldestInReviewMs === null ? labels.reviews : labels.reviewsSince(duration(oldestInReviewMs)),
      'reviews',
    ),
    ...(passedGuard > 0
      ? [needed(passedGuard, labels.passed(passedGuard), 'payments', { passed: 'yes' })]
      : []),
    ...(approvals > 0
      ? [
          {
            ...needed(approvals, labels.approvals(approvals), 'payouts', { state: 'created' }),
            ...orMore(approvals),
          },
        ]
      : []),
    needed(unmatched, 'received without a payment in these days', 'transactions', {
      state: 'unmatched',
      ...days,
    }),
    needed(unreported, 'paid in these days, but not shown at the till', 'transactions', {
      state: 'unreported',
      ...days,
    }),
    needed(deadLetters, labels.deadLetters(deadLetters), 'dead-letters'),
    ...(absentListeners > 0
      ? [needed(absentListeners, labels.missingListeners(absentListeners), 'dead-letters')]
      : []),
    needed(unrecognised, 'unrecognised', 'deliveries', {
      state: 'unrecognised',
    }),
    {
      count: shownCount(openPayments),
      label: labels.openPayments(openPayments),
      to: 'payments',
      query: { state: ['requested', 'pending', 'unknown'] },
    },
    {
      count: shownCount(deliveries),
      label:
        oldestDeliveryMs === null
          ? labels.deliveries(deliveries)
          : labels.deliveriesSince(deliveries, duration(oldestDeliveryMs)),
      to: 'deliveries',
      query: { state: 'pending' },
    },
    ...(calls > 0 && oldestCallMs !== null
      ? [
          {
            count: shownCount(calls),
            label: labels.calls(calls, duration(oldestCallMs)),
            to: 'dead-letters',
          },
        ]
      : []),
  ];
  const isQuiet = tiles.every(({ needsAttention }) => !needsAttention);
  return html`<section class="attention" aria-labelledby="attention">
    <h2 id="attention">${isQuiet ? 'Nothing needs attention' : 'Needs attention'}</h2>
    <ul>
      ${tiles.map((one) => tile(visit, one))}
    </ul>
  </section>`;
}

/** Returns the days of a period as the filter of a list. The filter does not include its end. */
function daysOf({ firstDay, lastDay }: Period): { from: string; to: string } {
  return { from: firstDay, to: dayAfter(lastDay) };
}

/** Returns money of the period that has no payment, and money of payments that the till has not reported. */
function doubtfulMoney(totals: readonly Total[]): { unmatched: number; unreported: number } {
  const of = (wanted: string): number =>
    totals.reduce(
      (sum, { measure, name, count }) =>
        sum + (measure === 'movement' && name === wanted ? count : 0),
      0,
    );
  const received = of('received');
  return {
    unmatched: Math.max(0, received - of('matched')),
    unreported: Math.max(0, received - of('reported')),
  };
}

function tile(visit: Visit, { count, label, to, query, needsAttention }: Tile): Html {
  return html`<li>
    <a class="tile ${needsAttention && 'tile--attention'}" href="${visit.link(to, query)}"
      ><strong>${count}</strong> <span>${label}</span></a
    >
  </li>`;
}
