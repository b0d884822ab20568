import { Injectable } from '@nestjs/common';
import type { PaymentsAccount } from '@tillkit/payments';
import type { Measure } from '@tillkit/payments/store';
import { boundariesOf, type StatisticsWindow } from './statistics-window.dto.js';
import { statisticsOf, type Statistics } from './statistics.js';

/** A result is cached ten times as long as its query took, so that statistics use at most a tenth of the store's time. */
const CACHE_FACTOR = 10;
const MAX_CACHE_MS = 60_000;

/** Maximum number of cached results: the fixed windows of a few accounts. */
const MAX_CACHED = 12;

const MEASURES: readonly Measure[] = ['state', 'open', 'reason', 'source', 'time', 'delivery'];

export interface Counted {
  statistics: Statistics;
  at: Date;
}

interface Cached {
  counted: Promise<Counted>;
  /** On the monotonic clock; undefined while the query runs. */
  validUntil?: number;
}

/**
 * The statistics of the overview, cached. The query takes seconds over a million payments, and many screens may show the
 * overview: requests during a query wait for its result, and the result of a slow query is cached for a while.
 */
@Injectable()
export class StatisticsService {
  private readonly cache = new Map<string, Cached>();

  count(account: PaymentsAccount, window: StatisticsWindow): Promise<Counted> {
    const { name, from, to } = window;
    const key = `${account.name} ${name ?? `${from.getTime()} ${to.getTime()}`}`;
    const known = this.cache.get(key);
    if (known && (known.validUntil === undefined || performance.now() < known.validUntil)) {
      return known.counted;
    }
    return this.query(key, account, window);
  }

  private query(key: string, account: PaymentsAccount, window: StatisticsWindow): Promise<Counted> {
    const startedAt = performance.now();
    const entry: Cached = { counted: read(account, window) };
    this.cache.delete(key);
    this.cache.set(key, entry);
    const oldest = this.cache.keys().next().value;
    if (this.cache.size > MAX_CACHED && oldest !== undefined) this.cache.delete(oldest);
    entry.counted.then(
      () => {
        const took = performance.now() - startedAt;
        entry.validUntil = performance.now() + Math.min(took * CACHE_FACTOR, MAX_CACHE_MS);
      },
      () => {
        if (this.cache.get(key) === entry) this.cache.delete(key);
      },
    );
    return entry.counted;
  }
}

async function read({ store, name }: PaymentsAccount, window: StatisticsWindow): Promise<Counted> {
  const boundaries = boundariesOf(window);
  const [totals, backlog] = await Promise.all([
    store.totals.read(name, { measures: MEASURES, boundaries }),
    store.statistics.backlog(name),
  ]);
  return { statistics: statisticsOf(totals, boundaries.length - 1, backlog), at: new Date() };
}
