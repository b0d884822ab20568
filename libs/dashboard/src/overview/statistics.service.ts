import { Injectable } from '@nestjs/common';
import type { Statistics } from '@tillkit/payments/store';
import { DashboardAccount } from '../start/dashboard-account.service.js';
import type { StatisticsWindow } from './statistics-window.dto.js';

/** A result is cached ten times as long as its query took, so that statistics use at most a tenth of the store's time. */
const CACHE_FACTOR = 10;
const MAX_CACHE_MS = 60_000;

/** Maximum number of cached results: the fixed windows, and a few others. */
const MAX_CACHED = 12;

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

  constructor(private readonly account: DashboardAccount) {}

  count(window: StatisticsWindow): Promise<Counted> {
    const key = window.name ?? `${window.from.getTime()} ${window.to.getTime()}`;
    const known = this.cache.get(key);
    if (known && (known.validUntil === undefined || performance.now() < known.validUntil)) {
      return known.counted;
    }
    return this.query(key, window);
  }

  private query(key: string, window: StatisticsWindow): Promise<Counted> {
    const startedAt = performance.now();
    const entry: Cached = { counted: this.statistics(window) };
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

  private async statistics({ from, to }: StatisticsWindow): Promise<Counted> {
    const statistics = await this.account.store.statistics.read(this.account.name, { from, to });
    return { statistics, at: new Date() };
  }
}
