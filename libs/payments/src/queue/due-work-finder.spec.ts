import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { accountsOf, SETTINGS } from '../testing/ledger.fixture.js';
import { DueWorkStore, type DueWork, type WorkAccounts } from '../store/due-work.store.js';
import { Runtime } from '../runtime/clock.js';
import { DueWorkFinder } from './due-work-finder.js';

const NOTHING: DueWork = {
  callbacks: false,
  webhooks: false,
  open: false,
  followed: false,
  calls: [],
  planned: [],
  accounts: [],
  nextMs: null,
};

/** Time passes only when the test says so. */
class SteppedRuntime extends Runtime {
  readonly timers = new Map<object, { at: number; call: () => void }>();
  private time = 0;

  override elapsed(): number {
    return this.time;
  }

  override timer(ms: number, call: () => void): () => void {
    const timer = {};
    this.timers.set(timer, { at: this.time + ms, call });
    return () => this.timers.delete(timer);
  }

  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      await new Promise(setImmediate);
      const [next] = [...this.timers].toSorted(([, one], [, other]) => one.at - other.at);
      if (!next || next[1].at > end) break;
      this.timers.delete(next[0]);
      this.time = next[1].at;
      next[1].call();
    }
    this.time = end;
  }
}

describe('the finder', () => {
  let runtime: SteppedRuntime;
  /** Times of the looks. */
  let looks: number[];
  let asked: { accounts: WorkAccounts; withinMs: number }[];
  let find: () => Promise<DueWork>;
  let errors: string[];

  beforeEach(() => {
    runtime = new SteppedRuntime();
    looks = [];
    asked = [];
    errors = [];
    find = async () => NOTHING;
    const log = (): void => undefined;
    const error = (message: unknown): number => errors.push(String(message));
    Logger.overrideLogger({ log, warn: log, error } satisfies LoggerService);
  });

  afterEach(() => {
    Logger.overrideLogger(false);
  });

  const finderOf = (...accounts: readonly PaymentsSettings[]): DueWorkFinder => {
    class Store extends DueWorkStore {
      override look(named: WorkAccounts, withinMs: number): Promise<DueWork> {
        looks.push(runtime.elapsed());
        asked.push({ accounts: named, withinMs });
        return find();
      }
    }
    return new DueWorkFinder(new Store(), accountsOf(...accounts), runtime);
  };

  const account = (name: string, intervalMs = 5_000, more: Partial<PaymentsSettings> = {}) => ({
    ...SETTINGS,
    account: name,
    path: name,
    reconciliation: { ...SETTINGS.reconciliation, intervalMs },
    ...more,
  });

  /** Looks for webhooks, and returns the times at which it claims. */
  const watched = (finder: DueWorkFinder): { claims: number[]; unwatch: () => void } => {
    const claims: number[] = [];
    const unwatch = finder.watch({
      isDue: ({ webhooks }) => webhooks,
      claim: () => void claims.push(runtime.elapsed()),
    });
    return { claims, unwatch };
  };

  it('of an idle process looks every five seconds, however many loops and accounts there are', async () => {
    const finder = finderOf(...Array.from({ length: 100 }, (_, n) => account(`account ${n}`)));
    for (let loop = 0; loop < 5; loop += 1) watched(finder);
    await runtime.pass(60_000);
    // Before the first look the process has just started, and may have left work before that.
    await runtime.pass(60_000);
    expect(looks.filter((at) => at > 60_000)).toHaveLength(12);
    expect(runtime.timers.size).toBe(1);
  });

  it('looks as often as the account with the shortest interval wants', async () => {
    watched(finderOf(account('one', 2_000), account('two', 1_000)));
    await runtime.pass(60_000);
    looks = [];
    await runtime.pass(60_000);
    expect(looks).toHaveLength(60);
    expect(asked.at(-1)?.withinMs).toBe(1_000);
  });

  it('asks for the accounts whose work the process does', async () => {
    const reconciliation = { ...SETTINGS.reconciliation, enabled: false };
    watched(
      finderOf(
        account('one'),
        account('two', 0, { reconciliation }),
        account('three', 0, { reconciliation, background: false }),
      ),
    );
    await runtime.pass(5_000);
    expect(asked[0]?.accounts).toEqual({ background: ['one', 'two'], reconciled: ['one'] });
  });

  it('makes only the loops with due work claim', async () => {
    const finder = finderOf(account('one'));
    const webhooks = watched(finder);
    const others: number[] = [];
    finder.watch({ isDue: ({ open }) => open, claim: () => void others.push(1) });
    find = async () => ({ ...NOTHING, webhooks: true });
    await runtime.pass(5_000);
    expect(webhooks.claims).toHaveLength(looks.length);
    expect(others).toEqual([]);
  });

  it('looks when work becomes due, as the last look said', async () => {
    watched(finderOf(account('one')));
    await runtime.pass(60_000);
    const [before] = looks.slice(-1) as [number];
    find = async () => ({ ...NOTHING, nextMs: 1_234 });
    await runtime.pass(5_000);
    const next = looks.find((at) => at > before) as number;
    expect(looks).toContain(next + 1_234);
  });

  it('looks when this process expects work, and then less and less often until it is idle', async () => {
    const finder = finderOf(account('one'));
    watched(finder);
    await runtime.pass(61_000);
    looks = [];
    finder.expect(70);
    await runtime.pass(20_000);
    const waits = looks.map((at, n) => at - (looks[n - 1] ?? 61_000));
    expect(waits.slice(0, 7)).toEqual([70, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it('looks no sooner for work that this process expects only much later', async () => {
    const finder = finderOf(account('one'));
    watched(finder);
    await runtime.pass(61_000);
    looks = [];
    finder.expect(3_600_000);
    await runtime.pass(10_000);
    const waits = looks.map((at, n) => at - (looks[n - 1] ?? at));
    expect(waits).toEqual([0, 5_000]);
    expect(looks[0]).toBeGreaterThan(61_500);
  });

  it('looks at most twenty times a second, however much work the process does', async () => {
    const finder = finderOf(account('one'));
    watched(finder);
    await runtime.pass(61_000);
    looks = [];
    for (let ms = 0; ms < 1_000; ms += 1) {
      for (let piece = 0; piece < 10; piece += 1) finder.expect(0);
      await runtime.pass(1);
    }
    expect(looks.length).toBeLessThanOrEqual(21);
  });

  it('looks again for work that was expected while it looked', async () => {
    const finder = finderOf(account('one'));
    watched(finder);
    await runtime.pass(59_000);
    looks = [];
    let answer = (): void => undefined;
    find = () => new Promise((resolve) => (answer = () => resolve(NOTHING)));
    await runtime.pass(5_000);
    expect(looks).toHaveLength(1);
    finder.expect(100);
    await runtime.pass(1_000);
    expect(looks).toHaveLength(1);
    answer();
    await runtime.pass(0);
    await runtime.pass(1);
    expect(looks).toHaveLength(2);
  });

  it('goes on when the store fails: it waits longer after each failure, and logs the first', async () => {
    const finder = finderOf(account('one'));
    const { claims } = watched(finder);
    await runtime.pass(61_000);
    find = async () => {
      throw new Error('it is away');
    };
    finder.expect(0);
    looks = [];
    await runtime.pass(15_000);
    const waits = looks.map((at, n) => at - (looks[n - 1] ?? 61_000));
    expect(waits).toEqual([0, 500, 1_000, 2_000, 4_000, 5_000]);
    expect(errors).toEqual([
      'the store could not be asked for due work; it is asked again soon: it is away',
    ]);
    find = async () => ({ ...NOTHING, webhooks: true });
    await runtime.pass(5_000);
    expect(claims).toHaveLength(1);
  });

  it('does not look more often while the store is away because the process works', async () => {
    const finder = finderOf(account('one'));
    watched(finder);
    await runtime.pass(61_000);
    find = async () => {
      throw new Error('it is away');
    };
    looks = [];
    for (let ms = 0; ms < 10_000; ms += 10) {
      finder.expect(0);
      await runtime.pass(10);
    }
    expect(looks.length).toBeLessThanOrEqual(6);
  });

  it('of a process without background work neither looks nor sets a timer', async () => {
    const finder = finderOf(account('one'));
    finder.expect(0);
    expect(runtime.timers.size).toBe(0);
    const { unwatch } = watched(finder);
    expect(runtime.timers.size).toBe(1);
    unwatch();
    finder.expect(0);
    expect(runtime.timers.size).toBe(0);
  });

  it('sets no timer when its last loop stops while it looks', async () => {
    const { unwatch } = watched(finderOf(account('one')));
    let answer = (): void => undefined;
    find = () => new Promise((resolve) => (answer = () => resolve(NOTHING)));
    await runtime.pass(5_000);
    unwatch();
    answer();
    await runtime.pass(0);
    expect(looks).toHaveLength(1);
    expect(runtime.timers.size).toBe(0);
  });
});
