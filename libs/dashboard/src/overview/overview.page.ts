import { Injectable } from '@nestjs/common';
import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { EventsService, type Pause } from '@tillkit/payments';
import { duration, TimeFormat } from '../html/time.format.js';
import { page, type Answer, type Json } from '../web/answer.dto.js';
import type { LinkQuery, Visit } from '../web/visit.dto.js';
import { figure } from './figure.fragment.js';
import type { Statistics } from './statistics.js';
import { StatisticsService } from './statistics.service.js';
import { figuresOf, successRate } from './figures.format.js';
import { DashboardAccounts } from '../start/dashboard-accounts.service.js';
import { pausesOf, whatIsPaused } from '../sending/sending.page.js';
import { readWindow, WINDOWS, type StatisticsWindow } from './statistics-window.dto.js';

/** Payments in review are counted up to this number. */
const MAX_REVIEWS = 100;

/** The overview: what needs attention, then the statistics of a window of time. */
@Injectable()
export class OverviewPage {
  constructor(
    private readonly statistics: StatisticsService,
    private readonly times: TimeFormat,
    private readonly accounts: DashboardAccounts,
  ) {}

  async show(visit: Visit): Promise<Answer> {
    const window = readWindow(visit.query, this.times, new Date());
    const { statistics, at } = await this.statistics.count(visit.account, window);
    const [reviews, absent, pauses] = await Promise.all([
      reviewsOf(visit),
      visit.account.get(EventsService).missingListeners(),
      pausesOf(this.accounts.all, visit.account.name),
    ]);
    const figures = figuresOf(statistics, window, this.times);
    const body = html`<h1 class="visually-hidden">Overview</h1>
      ${pauses[0] && pausedNotice(visit, pauses[0])}
      ${attention(visit, statistics, reviews, absent.length)} ${this.windows(visit, window)}
      ${headline(visit, statistics)}
      <div class="charts" data-statistics="${visit.link('statistics.json', window.query)}">
        ${figures.map(figure)}
      </div>
      <p class="soft small">
        Counted ${this.times.show(at)}, for payments recorded in the window.
      </p>`;
    return page('overview', 'Overview', body);
  }

  /** The data of the charts. */
  async figures(visit: Visit): Promise<Json> {
    const window = readWindow(visit.query, this.times, new Date());
    const { statistics } = await this.statistics.count(visit.account, window);
    return { kind: 'json', value: { figures: figuresOf(statistics, window, this.times) } };
  }

  private windows(visit: Visit, window: StatisticsWindow): Html {
    return html`<div class="windows">
      <nav class="tabs" aria-label="Window of time">
        ${WINDOWS.map(
          ({ name, label }) =>
            html`<a
              href="${visit.link('overview', { window: name })}"
              ${name === window.name && html`aria-current="true"`}
              >${label}</a
            >`,
        )}
      </nav>
      <form class="filter--line" method="get" action="${visit.link('overview')}">
        <div class="field">
          <label for="from">From</label>
          <input
            id="from"
            name="from"
            type="datetime-local"
            value="${this.times.toField(window.from)}"
            required
          />
        </div>
        <div class="field">
          <label for="to">to</label>
          <input id="to" name="to" type="datetime-local" value="${this.times.toField(window.to)}" />
        </div>
        <button class="quiet">Show</button> ${inAccount(visit)}
      </form>
    </div>`;
  }
}

function pausedNotice(visit: Visit, pause: Pause): Html {
  return html`<p class="notice">
    ${whatIsPaused(pause)} paused.
    <a href="${visit.link('sending')}">By whom, and why</a>
  </p>`;
}

async function reviewsOf({ account }: Visit): Promise<number> {
  const { items } = await account.store.operations.list(
    account.name,
    { kind: 'payment', states: ['needs_review'] },
    { limit: MAX_REVIEWS + 1 },
  );
  return items.length;
}

interface Tile {
  count: string;
  label: string;
  to: string;
  query?: LinkQuery;
  needsAttention?: boolean;
}

/** What needs attention, then what is in progress. Each tile links to its list. */
function attention(
  visit: Visit,
  { backlog }: Statistics,
  reviews: number,
  absentListeners: number,
): Html {
  const deadLetters = backlog.deadLetters;
  const tiles: Tile[] = [
    {
      count: reviews > MAX_REVIEWS ? `${MAX_REVIEWS}+` : String(reviews),
      label: 'to review',
      to: 'payments',
      query: { state: 'needs_review' },
      needsAttention: reviews > 0,
    },
    {
      count: deadLetters.toLocaleString('en'),
      label: deadLetters === 1 ? 'dead letter' : 'dead letters',
      to: 'dead-letters',
      needsAttention: deadLetters > 0,
    },
    ...(absentListeners > 0
      ? [
          {
            count: absentListeners.toLocaleString('en'),
            label: absentListeners === 1 ? 'listener not running' : 'listeners not running',
            to: 'dead-letters',
            needsAttention: true,
          },
        ]
      : []),
    {
      count: backlog.unrecognised.toLocaleString('en'),
      label: 'unrecognised',
      to: 'deliveries',
      query: { state: 'unrecognised' },
      needsAttention: backlog.unrecognised > 0,
    },
    {
      count: String(backlog.openPayments),
      label: 'open payments',
      to: 'payments',
      query: { state: ['requested', 'pending', 'unknown'] },
    },
    {
      count: String(backlog.deliveries),
      label:
        backlog.oldestDeliveryMs === null
          ? 'deliveries waiting'
          : `deliveries waiting, ${duration(backlog.oldestDeliveryMs)}`,
      to: 'deliveries',
      query: { state: 'pending' },
    },
  ];
  const isQuiet = tiles.every(({ needsAttention }) => !needsAttention);
  return html`<section class="attention" aria-labelledby="attention">
    <h2 id="attention">${isQuiet ? 'Nothing needs attention' : 'Needs attention'}</h2>
    <ul>
      ${tiles.map((one) => tile(visit, one))}
    </ul>
  </section>`;
}

function tile(visit: Visit, { count, label, to, query, needsAttention }: Tile): Html {
  return html`<li>
    <a class="tile ${needsAttention && 'tile--attention'}" href="${visit.link(to, query)}"
      ><strong>${count}</strong> <span>${label}</span></a
    >
  </li>`;
}

function headline(visit: Visit, statistics: Statistics): Html {
  const { percent, succeeded, failed, reversed } = successRate(statistics);
  const all = statistics.states.reduce((sum, { count }) => sum + count, 0);
  return html`<p class="headline">
    <strong>${percent === null ? '–' : `${percent.toFixed(1)} %`}</strong>
    <span
      >of completed payments are paid:
      <a href="${visit.link('payments', { state: 'succeeded' })}"
        >${succeeded.toLocaleString('en')} paid</a
      >,
      <a href="${visit.link('payments', { state: 'failed' })}"
        >${failed.toLocaleString('en')} failed</a
      >,
      <a href="${visit.link('payments', { state: 'reversed' })}"
        >${reversed.toLocaleString('en')} reversed</a
      >, ${all.toLocaleString('en')} recorded</span
    >
  </p>`;
}
