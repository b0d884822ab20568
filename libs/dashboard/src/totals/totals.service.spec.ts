import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Backlog, Total } from '@tillkit/payments/internal/store';
import type { PaymentsAccount } from '@tillkit/payments';
import type { Period } from './period.dto.js';
import { SUMS, TotalsService } from './totals.service.js';

/** Returns a store whose queries the test completes. */
function counting() {
  const queries: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const totals = (): Promise<Total[]> =>
    new Promise((resolve, reject) => queries.push({ resolve: () => resolve([]), reject }));
  const backlog = async (): Promise<Backlog> => ({}) as Backlog;
  const accountOf = (name: string) =>
    ({
      name,
      store: { totals: { read: totals }, statistics: { backlog } },
    }) as unknown as PaymentsAccount;
  const service = new TotalsService();
  const counter = {
    count: (of: Period, account = 'default') => service.count(accountOf(account), of, SUMS),
  };
  return { queries, counter };
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const period = (day: number, stepMs = DAY): Period => ({
  name: null,
  firstDay: '',
  lastDay: '',
  boundaries: [day, day + 1].map((at) => new Date(Date.UTC(2026, 0, at))),
  before: [new Date(Date.UTC(2026, 0, day - 1)), new Date(Date.UTC(2026, 0, day))],
  stepMs,
  query: {},
});

describe('The totals of a period', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('run one query for all requests at the same time', async () => {
    const { queries, counter } = counting();
    const counts = [counter.count(period(1)), counter.count(period(1))];
    expect(queries).toHaveLength(1);
    queries[0]!.resolve();
    expect(await counts[0]).toBe(await counts[1]);
  });

  it('are of one account each', async () => {
    const { queries, counter } = counting();
    const counts = [counter.count(period(1), 'one'), counter.count(period(1), 'two')];
    expect(queries).toHaveLength(2);
    for (const { resolve } of queries) resolve();
    expect(await counts[0]).not.toBe(await counts[1]);
  });

  it('run one query for days of each time zone, also if they begin and end together', () => {
    const { queries, counter } = counting();
    const days = (middle: number): Period => {
      const { boundaries, ...one } = period(1);
      const [from, to] = boundaries as [Date, Date];
      return { ...one, boundaries: [from, new Date(from.getTime() + middle), to] };
    };
    void counter.count(days(11 * HOUR));
    void counter.count(days(12 * HOUR));
    expect(queries).toHaveLength(2);
  });

  it('run one query for each period', () => {
    const { queries, counter } = counting();
    void counter.count(period(1));
    void counter.count(period(2));
    expect(queries).toHaveLength(2);
  });

  it.each([
    ['cache the result of a query of one second for ten seconds', 1_000, 10_999, 1],
    ['run the query again after that time', 1_000, 11_001, 2],
    ['cache the result of a query of one minute for one minute', 60_000, 120_001, 2],
  ])('%s', async (_, took, nextRequestAt, times) => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const { queries, counter } = counting();
    const first = counter.count(period(1));
    now = took;
    queries[0]!.resolve();
    await first;
    now = nextRequestAt;
    void counter.count(period(1));
    expect(queries).toHaveLength(times);
  });

  it('do not cache a failed query', async () => {
    const { queries, counter } = counting();
    const failed = counter.count(period(1));
    queries[0]!.reject(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    const again = counter.count(period(1));
    queries[1]!.resolve();
    expect((await again).totals).toEqual([]);
  });

  it('cache twelve periods and remove the oldest', async () => {
    const { queries, counter } = counting();
    jest.spyOn(performance, 'now').mockReturnValue(0);
    const days = Array.from({ length: 13 }, (_, index) => index + 1);
    for (const day of days) {
      const counted = counter.count(period(day));
      queries.at(-1)!.resolve();
      await counted;
    }
    for (const day of days.slice(1)) void counter.count(period(day));
    expect(queries).toHaveLength(13);
    void counter.count(period(1));
    expect(queries).toHaveLength(14);
  });
});
