import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryStore } from '../stores/memory/memory.store.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { RateLimiter } from './rate.limiter.js';
import { ShutdownSignal } from './shutdown.signal.js';

const ACCOUNT = 'shop';

describe('The rate limiters of many processes', () => {
  let runtime: SkippingRuntime;
  let store: MemoryStore;

  const limiters = (count: number, requestsPerSecond: number): RateLimiter[] => {
    const shutdown = new ShutdownSignal(runtime);
    const rate = (): number => requestsPerSecond;
    return Array.from(
      { length: count },
      () => new RateLimiter(ACCOUNT, store.traffic, shutdown, runtime, rate),
    );
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  beforeEach(() => {
    runtime = new SkippingRuntime();
    store = new MemoryStore(() => runtime.now());
  });

  it('let no request through after the platform has asked one of them to wait, also of those that waited for their turn before', async () => {
    let made = 0;
    await Promise.all(
      limiters(10, 5).map(async (limiter) => {
        try {
          await limiter.turn('overdue');
          made += 1;
          await store.traffic.close(ACCOUNT, 'others', 10_000);
        } catch {
          // Refused: the caller asks again later.
        }
      }),
    );
    expect(made).toBe(1);
  });

  it('let confirmations through while all of them have many other requests', async () => {
    const processes = limiters(12, 1);
    const until = runtime.now() + 60_000;
    let confirmed = 0;
    const ask = async (limiter: RateLimiter, kind: 'overdue' | 'confirmation'): Promise<void> => {
      while (runtime.now() < until) {
        try {
          await limiter.turn(kind);
          if (kind === 'confirmation') confirmed += 1;
        } catch {
          runtime.advance(1);
        }
        await turn();
      }
    };
    await Promise.all(
      processes.flatMap((limiter) => [ask(limiter, 'overdue'), ask(limiter, 'confirmation')]),
    );
    // Their share of 60 requests is 24.
    expect(confirmed).toBeGreaterThan(20);
  });
});
