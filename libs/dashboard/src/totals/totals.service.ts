import { Injectable } from '@nestjs/common';
import type { PaymentsAccount } from '@tillkit/payments';
import type { Backlog, Measure, Total } from '@tillkit/payments/internal/store';
import type { Period } from './period.dto.js';

/** A result is cached ten times as long as its query took, so that the pages use at most a tenth of the store's time. */
const CACHE_FACTOR = 10;
const LEAST_CACHE_MS = 1_000;
const MOST_CACHE_MS = 60_000;

/** Maximum number of cached results: the usual periods of a few accounts. */
const MAX_CACHED = 12;

/** Sums of money and counts of payments are made of these measures. */
export const SUMS: readonly Measure[] = ['state', 'open', 'movement'];

/** Charts need these measures too. */
export const ALL: readonly Measure[] = [...SUMS, 'reason', 'source', 'time', 'delivery'];

export interface Counted {
  /** The totals of the period; `span` is the index of a step. */
  totals: readonly Total[];
  /** The totals of the time before. */
  before: readonly Total[];
  backlog: Backlog;
  at: Date;
}

interface Cached {
  counted: Promise<Counted>;
  /** A time of the monotonic clock, in milliseconds; undefined while the query runs. */
  validUntil?: number;
}

/** The totals of a period, cached: many screens may show the same ones, and requests during a query wait for its result. */
@Injectable()
export class TotalsService {
  private readonly cache = new Map<string, Cached>();

  count(account: PaymentsAccount, period: Period, measures: readonly Measure[]): Promise<Counted> {
    // Days of two time zones may begin and end at the same times and still differ between them.
    const times = [...period.before, ...period.boundaries].map((at) => at.getTime());
    const key = `${account.name} ${measures.join()} ${times.join()}`;
    const existing = this.cache.get(key);
    if (
      existing &&
      (existing.validUntil === undefined || performance.now() < existing.validUntil)
    ) {
      return existing.counted;
    }
    return this.query(key, () => read(account, period, measures));
  }

  private query(key: string, readAll: () => Promise<Counted>): Promise<Counted> {
    const startedAt = performance.now();
    const entry: Cached = { counted: readAll() };
    this.cache.delete(key);
    this.cache.set(key, entry);
    const oldest = this.cache.keys().next().value;
    if (this.cache.size > MAX_CACHED && oldest !== undefined) this.cache.delete(oldest);
    entry.counted.then(
      () => {
        const took = performance.now() - startedAt;
        const cachedMs = Math.min(Math.max(took * CACHE_FACTOR, LEAST_CACHE_MS), MOST_CACHE_MS);
        entry.validUntil = performance.now() + cachedMs;
      },
      () => {
        if (this.cache.get(key) === entry) this.cache.delete(key);
      },
    );
    return entry.counted;
  }
}

/** The index of the span of the first step. The time before is one span, and the time between is another. */
const FIRST = 2;

/** Reads both times with one query. */
async function read(
  { store, name }: PaymentsAccount,
  period: Period,
  measures: readonly Measure[],
): Promise<Counted> {
  const boundaries = [...period.before, ...period.boundaries];
  const [totals, backlog] = await Promise.all([
    store.totals.read(name, { measures, boundaries }),
    store.statistics.backlog(name),
  ]);
  return {
    totals: totals
      .filter(({ span }) => span >= FIRST)
      .map((total) => ({ ...total, span: total.span - FIRST })),
    before: totals.filter(({ span }) => span === 0),
    backlog,
    at: new Date(),
  };
}
