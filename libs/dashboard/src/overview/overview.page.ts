import { Injectable } from '@nestjs/common';
import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { EventsService, type Pause } from '@tillkit/payments';
import { count as shownCount, percentage } from '../html/number.format.js';
import { duration } from '../html/time.format.js';
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
    private readonly accounts: DashboardAccounts,
  ) {}

  async show(visit: Visit): Promise<Answer> {
    const window = readWindow(visit.query, visit.times, new Date());
    const { statistics, at } = await this.statistics.count(visit.account, window);
    const [reviews, absent, pauses] = await Promise.all([
      reviewsOf(visit),
      visit.account.get(EventsService).missingListeners(),
      pausesOf(this.accounts.all, visit.account.name),
    ]);
    const { words } = visit;
    const figures = figuresOf(words, statistics, window, visit.times);
    const body = html`<h1 class="visually-hidden">${words.overview.title}</h1>
      ${pauses[0] && pausedNotice(visit, pauses[0])}
      ${attention(visit, statistics, reviews, absent.length)} ${this.windows(visit, window)}
      ${headline(visit, statistics)}
      <div class="charts" data-statistics="${visit.link('statistics.json', window.query)}">
        ${figures.map((one) => figure(words, one))}
      </div>
      <p class="soft small">${words.overview.counted(visit.times.show(at))}</p>`;
    return page('overview', words.overview.title, body);
  }

  /** The data of the charts. */
  async figures(visit: Visit): Promise<Json> {
    const window = readWindow(visit.query, visit.times, new Date());
    const { statistics } = await this.statistics.count(visit.account, window);
    const figures = figuresOf(visit.words, statistics, window, visit.times);
    return { kind: 'json', value: { figures } };
  }

  private windows(visit: Visit, window: StatisticsWindow): Html {
    const { overview, common } = visit.words;
    return html`<div class="windows">
      <nav class="tabs" aria-label="${overview.window}">
        ${WINDOWS.map(
          ({ name }) =>
            html`<a
              href="${visit.link('overview', { window: name })}"
              ${name === window.name && html`aria-current="true"`}
              >${overview.windows[name]}</a
            >`,
        )}
      </nav>
      <form class="filter--line" method="get" action="${visit.link('overview')}">
        <div class="field">
          <label for="from">${overview.from}</label>
          <input
            id="from"
            name="from"
            type="datetime-local"
            value="${visit.times.toField(window.from)}"
            required
          />
        </div>
        <div class="field">
          <label for="to">${overview.to}</label>
          <input
            id="to"
            name="to"
            type="datetime-local"
            value="${visit.times.toField(window.to)}"
          />
        </div>
        <button class="quiet">${common.apply}</button> ${inAccount(visit)}
      </form>
    </div>`;
  }
}

function pausedNotice(visit: Visit, pause: Pause): Html {
  return html`<p class="notice">
    ${whatIsPaused(visit.words, pause).isPaused}
    <a href="${visit.link('sending')}">${visit.words.overview.whyPaused}</a>
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
  const { words } = visit;
  const { tiles: labels } = words.overview;
  const { deadLetters, unrecognised, openPayments, deliveries, oldestDeliveryMs } = backlog;
  const tiles: Tile[] = [
    {
      count:
        reviews > MAX_REVIEWS
          ? words.units.orMore(shownCount(words, MAX_REVIEWS))
          : shownCount(words, reviews),
      label: labels.reviews(reviews),
      to: 'payments',
      query: { state: 'needs_review' },
      needsAttention: reviews > 0,
    },
    {
      count: shownCount(words, deadLetters),
      label: labels.deadLetters(deadLetters),
      to: 'dead-letters',
      needsAttention: deadLetters > 0,
    },
    ...(absentListeners > 0
      ? [
          {
            count: shownCount(words, absentListeners),
            label: labels.missingListeners(absentListeners),
            to: 'dead-letters',
            needsAttention: true,
          },
        ]
      : []),
    {
      count: shownCount(words, unrecognised),
      label: labels.unrecognised(unrecognised),
      to: 'deliveries',
      query: { state: 'unrecognised' },
      needsAttention: unrecognised > 0,
    },
    {
      count: shownCount(words, openPayments),
      label: labels.openPayments(openPayments),
      to: 'payments',
      query: { state: ['requested', 'pending', 'unknown'] },
    },
    {
      count: shownCount(words, deliveries),
      label:
        oldestDeliveryMs === null
          ? labels.deliveries(deliveries)
          : labels.deliveriesSince(deliveries, duration(words, oldestDeliveryMs)),
      to: 'deliveries',
      query: { state: 'pending' },
    },
  ];
  const isQuiet = tiles.every(({ needsAttention }) => !needsAttention);
  return html`<section class="attention" aria-labelledby="attention">
    <h2 id="attention">${isQuiet ? words.overview.quiet : words.overview.attention}</h2>
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
  const { words } = visit;
  const { overview } = words;
  const { percent, succeeded, failed, reversed } = successRate(statistics);
  const recorded = statistics.states.reduce((sum, { count }) => sum + count, 0);
  const link = (state: string, text: string): Html =>
    html`<a href="${visit.link('payments', { state })}">${text}</a>`;
  return html`<p class="headline">
    ${overview.headline(
      html`<strong>${percent === null ? '–' : percentage(words, percent)}</strong>`,
      link('succeeded', overview.paid(succeeded)),
      link('failed', overview.failed(failed)),
      link('reversed', overview.reversed(reversed)),
      recorded,
    )}
  </p>`;
}
