import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Statistics } from '@tillkit/payments/store';
import type { DashboardAccount } from '../start/dashboard.account.js';
import { StatisticsCounter } from './statistics.counter.js';

const NOTHING = { states: [] } as unknown as Statistics;

/** A store that counts how often it is asked, and says when it has counted. */
function counting() {
  const asked: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const statistics = (): Promise<Statistics> =>
    new Promise((resolve, reject) => asked.push({ resolve: () => resolve(NOTHING), reject }));
  const account = { name: 'default', store: { statistics } } as unknown as DashboardAccount;
  return { asked, counter: new StatisticsCounter(account) };
}

const window = (name: string | null, day = 1) => ({
  name,
  from: new Date(Date.UTC(2026, 0, day)),
  to: new Date(Date.UTC(2026, 0, day + 1)),
  query: {},
});

describe('the counter of the overview', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('counts once for all who ask at the same time', async () => {
    const { asked, counter } = counting();
    const counts = [counter.count(window('24h')), counter.count(window('24h', 2))];
    expect(asked).toHaveLength(1);
    asked[0]!.resolve();
    expect(await counts[0]).toBe(await counts[1]);
  });

  it('counts each window for itself', () => {
    const { asked, counter } = counting();
    void counter.count(window('24h'));
    void counter.count(window('7d'));
    void counter.count(window(null, 1));
    void counter.count(window(null, 2));
    expect(asked).toHaveLength(4);
  });

  it.each([
    ['keeps what took a second for ten', 1_000, 10_999, 1],
    ['counts it again after that', 1_000, 11_001, 2],
    ['keeps what took a minute for no more than one', 60_000, 120_001, 2],
  ])('%s', async (_, took, askedAgainAt, times) => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const { asked, counter } = counting();
    const first = counter.count(window('24h'));
    now = took;
    asked[0]!.resolve();
    await first;
    now = askedAgainAt;
    void counter.count(window('24h'));
    expect(asked).toHaveLength(times);
  });

  it('keeps no failure', async () => {
    const { asked, counter } = counting();
    const failed = counter.count(window('24h'));
    asked[0]!.reject(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    const again = counter.count(window('24h'));
    asked[1]!.resolve();
    expect((await again).statistics).toBe(NOTHING);
  });

  it('keeps a dozen windows, and forgets the oldest', async () => {
    const { asked, counter } = counting();
    for (let day = 1; day <= 13; day += 1) {
      const counted = counter.count(window(null, day));
      asked.at(-1)!.resolve();
      await counted;
    }
    expect((counter as unknown as { kept: Map<string, unknown> }).kept.size).toBe(12);
  });
});
