import { Injectable } from '@nestjs/common';
import type { Statistics } from '@tillkit/payments/store';
import { html, type Html } from '../html/html.template.js';
import { duration, TimeFormat } from '../html/time.format.js';
import { DashboardAccount } from '../start/dashboard.account.js';
import { page, type Answer, type Json } from '../web/answer.js';
import type { LinkQuery, Visit } from '../web/visit.js';
import { figure } from './figure.fragment.js';
import { StatisticsCounter } from './statistics.counter.js';
import { figuresOf, successRate } from './statistics.figures.js';
import { readWindow, WINDOWS, type StatisticsWindow } from './statistics.window.js';

/** Payments that wait for a person are counted one by one, up to here. */
const COUNTED_REVIEWS = 100;

/** How it goes: what wants a person first, then the numbers of a stretch of time. */
@Injectable()
export class OverviewPage {
  constructor(
    private readonly account: DashboardAccount,
    private readonly counter: StatisticsCounter,
    private readonly times: TimeFormat,
  ) {}

  async show(visit: Visit): Promise<Answer> {
    const window = readWindow(visit.query, this.times, new Date());
    const { statistics, at } = await this.counter.count(window);
    const [reviews, unheard] = await Promise.all([
      this.reviews(),
      this.account.dispatcher.unheardListeners(),
    ]);
    const figures = figuresOf(statistics, window, this.times);
    const body = html`<h1 class="visually-hidden">Overview</h1>
      ${wanted(visit, statistics, reviews, unheard.length)} ${this.windows(visit, window)}
      ${headline(visit, statistics)}
      <div class="charts" data-statistics="${visit.link('statistics.json', window.query)}">
        ${figures.map(figure)}
      </div>
      <p class="soft small">
        Counted ${this.times.show(at)}. Numbers are of payments recorded in the window.
      </p>`;
    return page('overview', 'Overview', body);
  }

  /** What the charts are drawn from. */
  async figures(visit: Visit): Promise<Json> {
    const window = readWindow(visit.query, this.times, new Date());
    const { statistics } = await this.counter.count(window);
    return { kind: 'json', value: { figures: figuresOf(statistics, window, this.times) } };
  }

  private async reviews(): Promise<number> {
    const { store, name } = this.account;
    const { items } = await store.listPayments(
      name,
      { states: ['needs_review'] },
      { limit: COUNTED_REVIEWS + 1 },
    );
    return items.length;
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
        <button class="quiet">Count</button>
      </form>
    </div>`;
  }
}

interface Want {
  count: string;
  isSome: boolean;
  words: string;
  to: string;
  query?: LinkQuery;
}

/** What waits for a person, and what waits at all: each leads to its list. */
function wanted(visit: Visit, { backlog }: Statistics, reviews: number, unheard: number): Html {
  const wants: Want[] = [
    {
      count: reviews > COUNTED_REVIEWS ? `${COUNTED_REVIEWS}+` : String(reviews),
      isSome: reviews > 0,
      words: 'to review',
      to: 'payments',
      query: { state: 'needs_review' },
    },
    want(
      backlog.deadLetters,
      backlog.deadLetters === 1 ? 'dead letter' : 'dead letters',
      'dead-letters',
    ),
    ...(unheard > 0
      ? [
          want(
            unheard,
            unheard === 1 ? 'listener no process has' : 'listeners no process has',
            'dead-letters',
          ),
        ]
      : []),
    want(backlog.unrecognised, 'unrecognised', 'deliveries', { state: 'unrecognised' }),
  ];
  const isQuiet = wants.every(({ isSome }) => !isSome);
  return html`<section class="wanted" aria-labelledby="wanted">
    <h2 id="wanted">${isQuiet ? 'Nothing wants a person' : 'Wants a person'}</h2>
    <ul>
      ${wants.map(({ count, isSome, words, to, query }) => tile(visit, isSome, count, words, to, query))}
      ${tile(visit, false, String(backlog.openPayments), 'open payments', 'payments', {
        state: ['requested', 'pending', 'unknown'],
      })}
      ${tile(
        visit,
        false,
        backlog.deliveries === 0 ? '0' : `${backlog.deliveries}`,
        backlog.oldestDeliveryMs === null
          ? 'deliveries waiting'
          : `deliveries waiting, ${duration(backlog.oldestDeliveryMs)}`,
        'deliveries',
        { state: 'pending' },
      )}
    </ul>
  </section>`;
}

function want(count: number, words: string, to: string, query?: LinkQuery): Want {
  return {
    count: count.toLocaleString('en'),
    isSome: count > 0,
    words,
    to,
    ...(query && { query }),
  };
}

function tile(
  visit: Visit,
  isSome: boolean,
  count: string,
  words: string,
  to: string,
  query?: LinkQuery,
): Html {
  return html`<li>
    <a class="tile ${isSome && 'tile--some'}" href="${visit.link(to, query)}"
      ><strong>${count}</strong> <span>${words}</span></a
    >
  </li>`;
}

function headline(visit: Visit, statistics: Statistics): Html {
  const { percent, succeeded, failed } = successRate(statistics);
  const all = statistics.states.reduce((sum, { count }) => sum + count, 0);
  return html`<p class="headline">
    <strong>${percent === null ? '–' : `${percent.toFixed(1)} %`}</strong>
    <span
      >of what ended was paid:
      <a href="${visit.link('payments', { state: 'succeeded' })}"
        >${succeeded.toLocaleString('en')} paid</a
      >,
      <a href="${visit.link('payments', { state: 'failed' })}"
        >${failed.toLocaleString('en')} failed</a
      >, ${all.toLocaleString('en')} recorded</span
    >
  </p>`;
}
