import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StoreUnavailableError } from '../payments.errors.js';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { MemoryStore } from '../memory/memory.store.js';
import { accountsOf, SETTINGS } from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { Runtime, type CancelTimer } from '../runtime/clock.js';
import { AccountSchedule } from './account.schedule.js';
import { DueWorkFinder } from './due-work-finder.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const SECOND = 1_000;

const account = (name: string, sweepEveryMs: number): PaymentsSettings => ({
  ...SETTINGS,
  account: name,
  path: name,
  reconciliation: { ...SETTINGS.reconciliation, sweepEveryMs },
});

/** The clock of a process that can die. After its death its timers do nothing. */
class MortalRuntime extends Runtime {
  isDead = false;

  constructor(private readonly shared: SkippingRuntime) {
    super();
  }

  override now(): number {
    return this.shared.now();
  }

  override elapsed(): number {
    return this.shared.elapsed();
  }

  override random(): number {
    return this.shared.random();
  }

  override timer(ms: number, call: () => void): CancelTimer {
    return this.shared.timer(ms, () => {
      if (!this.isDead) call();
    });
  }
}

describe('a schedule for several accounts', () => {
  let runtime: SkippingRuntime;
  let store: MemoryStore;
  let runs: { account: string; process: number; at: number }[];
  let open: AccountSchedule[];
  /** The clock of each process. */
  let runtimes: MortalRuntime[];
  /** Ends the runs of accounts that hang. */
  let release: () => void;
  let hanging: Set<string>;

  beforeEach(() => {
    runtime = new SkippingRuntime();
    store = new MemoryStore(() => runtime.now());
    runs = [];
    open = [];
    runtimes = [];
    hanging = new Set();
    release = () => undefined;
  });

  afterEach(() => {
    release();
    return Promise.all(open.map((schedule) => schedule.stop()));
  });

  /** Returns a process that has these accounts. */
  const start = async (...all: readonly PaymentsSettings[]): Promise<AccountSchedule> => {
    const accounts = accountsOf(...all);
    const own = new MortalRuntime(runtime);
    runtimes.push(own);
    const finder = new DueWorkFinder(store.dueWork, accounts, own);
    const process = open.length;
    const schedule = new AccountSchedule(store.plannedWork, accounts, finder, own, {
      kind: 'sweep',
      claimed: () => accounts.reconciledNames(),
      everyMs: ({ reconciliation }) => reconciliation.sweepEveryMs,
      firstMs: 10 * SECOND,
      leaseMs: 45 * SECOND,
      atOnce: 10,
      run: async (name) => {
        runs.push({ account: name, process, at: runtime.now() });
        if (hanging.has(name)) await new Promise<void>((resolve) => (release = resolve));
      },
    });
    open.push(schedule);
    schedule.start();
    await schedule.plan(all);
    return schedule;
  };

  const runsOf = (name: string): { process: number; at: number }[] =>
    runs.filter((run) => run.account === name);

  const untilRuns = async (name: string, count: number): Promise<void> => {
    while (runsOf(name).length < count) await turn();
  };

  it('runs the work of each account at its own interval', async () => {
    await start(account('a', 100 * SECOND), account('b', 900 * SECOND));
    await untilRuns('a', 10);
    const [first, second] = runsOf('a');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(100 * SECOND);
    expect(runsOf('b').length).toBeLessThanOrEqual(2);
  });

  it('runs each piece in one of the processes that share a store', async () => {
    const startedAt = runtime.now();
    await start(account('a', 100 * SECOND));
    await start(account('a', 100 * SECOND));
    await untilRuns('a', 10);
    const last = runsOf('a').at(-1)?.at ?? 0;
    expect((last - startedAt) / (100 * SECOND)).toBeGreaterThan(8);
  });

  it('continues with the other accounts while the run of one account hangs', async () => {
    hanging.add('a');
    await start(account('a', 100 * SECOND), account('b', 100 * SECOND));
    await untilRuns('b', 3);
    expect(runsOf('a')).toHaveLength(1);
  });

  it('does not begin again in a process in which it still runs, although its lease has ended', async () => {
    hanging.add('a');
    await start(account('a', 100 * SECOND), account('b', 100 * SECOND));
    await untilRuns('b', 20);
    expect(runsOf('a')).toHaveLength(1);
  });

  it('is not begun by another process while the first one goes on, and within a minute after that has died', async () => {
    hanging.add('a');
    await start(account('a', 100_000 * SECOND));
    await start(account('a', 100_000 * SECOND));
    await untilRuns('a', 1);
    const [{ process, at } = { process: 0, at: 0 }] = runsOf('a');
    while (runtime.now() < at + 3_600 * SECOND) await turn();
    expect(runsOf('a')).toHaveLength(1);
    hanging.clear();
    (runtimes[process] as MortalRuntime).isDead = true;
    const diedAt = runtime.now();
    await untilRuns('a', 2);
    const again = runsOf('a')[1];
    expect(again?.process).toBe(1 - process);
    expect((again?.at ?? 0) - diedAt).toBeLessThanOrEqual(60 * SECOND);
  });

  it('does no work for an account that needs none any more', async () => {
    await start(account('a', 100 * SECOND));
    await untilRuns('a', 1);
    await open[0]?.stop();
    await start(account('a', 0), account('b', 100 * SECOND));
    await untilRuns('b', 5);
    expect(runsOf('a')).toHaveLength(1);
  });

  it('leaves the work of an account to the processes whose settings need it', async () => {
    await start(account('a', 0), account('b', 100 * SECOND));
    await start(account('a', 100 * SECOND));
    await untilRuns('a', 10);
    expect(new Set(runsOf('a').map(({ process }) => process))).toEqual(new Set([1]));
    const [first] = runsOf('a');
    // A run is never later than an interval, its jitter and the look that finds it.
    const last = runsOf('a').at(-1);
    expect(((last?.at ?? 0) - (first?.at ?? 0)) / (9 * 100 * SECOND)).toBeLessThan(1.5);
  });

  it('hands a run that a shutdown cuts short over to another process', async () => {
    hanging.add('a');
    const first = await start(account('a', 100_000 * SECOND));
    await untilRuns('a', 1);
    const stopped = first.stop();
    release();
    await stopped;
    expect(await store.plannedWork.claim(['a'], 'sweep', 10, SECOND)).toEqual(['a']);
  });

  it('begins a run again after its lease when the store did not accept its next time', async () => {
    const { plannedWork } = store;
    const replan = plannedWork.replan.bind(plannedWork);
    plannedWork.replan = () => Promise.reject(new StoreUnavailableError('it is away'));
    await start(account('a', 900 * SECOND), account('b', 10 * SECOND));
    await untilRuns('a', 1);
    plannedWork.replan = replan;
    await untilRuns('a', 2);
    const [first, second] = runsOf('a');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(900 * SECOND);
  });
});
