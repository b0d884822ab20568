import { beforeEach, describe, expect, it } from '@jest/globals';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { RateLimiter } from './limits.js';
import { ShutdownSignal } from './shutdown-signal.js';

describe('A rate limiter', () => {
  let runtime: SkippingRuntime;

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  beforeEach(() => {
    runtime = new SkippingRuntime();
  });

  it('lets confirmations through while many other requests wait', async () => {
    const limiter = new RateLimiter(new ShutdownSignal(runtime), runtime, () => 1);
    const until = runtime.now() + 60_000;
    let confirmed = 0;
    const ask = async (kind: 'overdue' | 'confirmation'): Promise<void> => {
      while (runtime.now() < until) {
        try {
          await limiter.permit(kind);
          if (kind === 'confirmation') confirmed += 1;
        } catch {
          runtime.advance(1);
        }
        await turn();
      }
    };
    await Promise.all([...Array(12).fill('overdue'), 'confirmation'].map(ask));
    // Their share of 60 requests is 24.
    expect(confirmed).toBeGreaterThan(20);
  });
});
