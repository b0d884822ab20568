import { expect, it } from '@jest/globals';
import { MemoryStore } from '@tillkit/payments';
import { RateLimiter } from '../../libs/payments/src/runtime/rate.limiter.js';
import { Runtime } from '../../libs/payments/src/runtime/runtime.js';
import { ShutdownSignal } from '../../libs/payments/src/runtime/shutdown.signal.js';

it.each([2, 12])(
  'REVIEW callbacks are confirmed while %s replicas have many overdue payments, at one request per second',
  async (count) => {
    const store = new MemoryStore();
    const runtime = new Runtime();
    const shutdown = new ShutdownSignal(runtime);
    const replicas = Array.from(
      { length: count },
      () => new RateLimiter('shop', store.traffic, shutdown, runtime, () => 1),
    );
    let isOver = false;
    const work = replicas.map(async (replica) => {
      while (!isOver)
        await replica
          .turn('overdue')
          .catch(() => new Promise((resolve) => setTimeout(resolve, 50)));
    });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    let confirmed = 0;
    const until = performance.now() + 18_000;
    const confirming = Promise.all(
      replicas.map(async (replica) => {
        while (performance.now() < until)
          await replica.turn('confirmation').then(
            () => (confirmed += 1),
            () => new Promise((resolve) => setTimeout(resolve, 300)),
          );
      }),
    );
    await confirming;
    isOver = true;
    shutdown.close();
    await Promise.all(work);
    // A share of 0.4 of 18 requests.
    expect(confirmed).toBeGreaterThan(3);
  },
  60_000,
);
