import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { AccountSchedule, type AccountInterval } from './account.schedule.js';
import { ShutdownSignal } from './shutdown.signal.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a schedule for several accounts', () => {
  let runtime: SkippingRuntime;
  let shutdown: ShutdownSignal;
  let startedAt: number;
  let runs: [account: string, atMs: number][];
  let intervals: AccountInterval[];
  /** Accounts whose runs end only when the application closes. */
  let hanging: Set<string>;
  let schedule: AccountSchedule;

  beforeEach(() => {
    runtime = new SkippingRuntime();
    shutdown = new ShutdownSignal(runtime);
    startedAt = runtime.elapsed();
    runs = [];
    intervals = [];
    hanging = new Set();
    schedule = new AccountSchedule({
      runtime,
      shutdown,
      accounts: () => intervals,
      run: async (account) => {
        runs.push([account, runtime.elapsed() - startedAt]);
        if (hanging.has(account))
          await new Promise((resolve) => shutdown.signal.addEventListener('abort', resolve));
      },
    });
  });

  afterEach(async () => {
    shutdown.close();
    await schedule.ended();
  });

  const untilRuns = async (count: number): Promise<void> => {
    while (runs.length < count) await turn();
  };

  it('runs the work of each account at its own interval', async () => {
    intervals = [
      { account: 'a', firstMs: 10, everyMs: 100 },
      { account: 'b', firstMs: 50, everyMs: 30 },
    ];
    schedule.start();
    await untilRuns(5);
    expect(runs).toEqual([
      ['a', 10],
      ['b', 50],
      ['b', 80],
      ['a', 110],
      ['b', 110],
    ]);
  });

  it('continues with the other accounts while the run of one account hangs', async () => {
    hanging.add('a');
    intervals = [
      { account: 'a', firstMs: 10, everyMs: 10 },
      { account: 'b', firstMs: 10, everyMs: 10 },
    ];
    schedule.start();
    await untilRuns(4);
    expect(runs).toEqual([
      ['a', 10],
      ['b', 10],
      ['b', 20],
      ['b', 30],
    ]);
  });

  it('runs the work of an account that was added after the start', async () => {
    intervals = [{ account: 'a', firstMs: 10, everyMs: 10 }];
    schedule.start();
    await untilRuns(1);
    intervals.push({ account: 'b', firstMs: 5, everyMs: 100 });
    while (!runs.some(([account]) => account === 'b')) await turn();
  });

  it('waits for running work when the application closes, and starts no more', async () => {
    hanging.add('a');
    intervals = [{ account: 'a', firstMs: 10, everyMs: 10 }];
    schedule.start();
    await untilRuns(1);
    let hasEnded = false;
    const ended = schedule.ended().then(() => (hasEnded = true));
    await turn();
    expect(hasEnded).toBe(false);
    shutdown.close();
    await ended;
    expect(runs).toHaveLength(1);
  });

  it('has one listener on the shutdown signal, however often it has run', async () => {
    intervals = [{ account: 'a', firstMs: 1, everyMs: 1 }];
    schedule.start();
    await untilRuns(20);
    expect(getEventListeners(shutdown.signal, 'abort')).toHaveLength(1);
  });

  it('sets no timer when no account needs the work, so that a command can end', () => {
    let timers = 0;
    runtime.timer = () => {
      timers += 1;
      return () => undefined;
    };
    schedule.start();
    expect(timers).toBe(0);
  });
});
