import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { firstValueFrom, type Observable } from 'rxjs';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { StoreUnavailableError } from '../payments.errors.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  aRecordedPayment,
  keyOf,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import type { OperationKey } from '../store/operation.js';
import { WatchedOperations } from './watched-operations.js';

/** Counts timers, and runs each when the test says so. */
class SteppingRuntime extends SkippingRuntime {
  readonly timers = new Set<() => void>();

  override timer(_ms: number, call: () => void): () => void {
    this.timers.add(call);
    return () => this.timers.delete(call);
  }

  /** Ends the waits of all timers. */
  step(): void {
    for (const call of this.timers) {
      this.timers.delete(call);
      call();
    }
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Watched operations', () => {
  let runtime: SteppingRuntime;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let watched: WatchedOperations<PaymentRecord>;
  /** The ids of each query. */
  let queries: (readonly string[])[];
  let failure: Error | null;

  /** @param shared whether other processes may change the operations */
  const open = (shared: boolean): void => {
    runtime = new SteppingRuntime();
    store = new MemoryStore();
    under = aLedger(store, {}, runtime);
    queries = [];
    failure = null;
    const { operations } = under;
    Object.defineProperty(operations, 'shared', { value: shared });
    const findMany = operations.findMany.bind(operations);
    operations.findMany = async (account, ids) => {
      queries.push([...ids]);
      const found = await findMany(account, ids);
      await turn();
      if (failure) throw failure;
      return found;
    };
    watched = new WatchedOperations(operations, under.signals, {} as never, runtime);
  };

  beforeEach(() => open(true));
  afterEach(() => under.shutdown.close());

  const statesOf = (payments$: Observable<PaymentRecord | null>) => {
    const states: (string | null)[] = [];
    const errors: unknown[] = [];
    const subscription = payments$.subscribe({
      next: (payment) => states.push(payment?.state ?? null),
      error: (error: unknown) => errors.push(error),
      complete: () => states.push('complete'),
    });
    return { states, errors, subscription };
  };

  const recorded = (count: number): Promise<PaymentRecord[]> =>
    Promise.all(Array.from({ length: count }, () => aRecordedPayment(store)));

  const turns = async (count = 20): Promise<void> => {
    for (let done = 0; done < count; done += 1) await turn();
  };

  /** Marks a payment as requested, as another process does it: without a signal in this one. */
  const changeElsewhere = async ({ account, id, version }: PaymentRecord): Promise<void> => {
    const change = { id, version, set: { state: 'requested' as const } };
    await store.ledger.commit({ account, operation: change, events: [], history: [] });
  };

  it('are read together: a thousand watchers of a hundred operations cause one query and one timer', async () => {
    const payments = await recorded(100);
    const watchers = Array.from({ length: 1_000 }, (_, n) =>
      statesOf(watched.watch(payments[n % 100]!)),
    );
    await turns();
    expect(queries.map((ids) => ids.length)).toEqual([100]);
    expect(runtime.timers.size).toBe(1);
    await changeElsewhere(payments[7]!);
    runtime.step();
    await turns();
    expect(queries.map((ids) => ids.length)).toEqual([100, 100]);
    expect(runtime.timers.size).toBe(1);
    expect(watchers[7]!.states).toEqual(['created', 'requested']);
    expect(watchers[107]!.states).toEqual(['created', 'requested']);
    expect(watchers[8]!.states).toEqual(['created']);
  });

  it('of several accounts share one timer, with one query for each account', async () => {
    const [one] = await recorded(1);
    const other = await aRecordedPayment(store, { account: 'other', id: one!.id });
    const first = statesOf(watched.watch(one!));
    const second = statesOf(watched.watch(other));
    await turns();
    expect([...first.states, ...second.states]).toEqual(['created', 'created']);
    expect(queries).toHaveLength(2);
    expect(runtime.timers.size).toBe(1);
  });

  it('are read at once after a change that this process commits, and only that operation', async () => {
    const [one, two] = await recorded(2);
    const watching = statesOf(watched.watch(one!));
    statesOf(watched.watch(two!));
    await turns();
    await under.answers.markRequested(one!, 'me');
    await turns();
    expect(watching.states).toEqual(['created', 'requested']);
    expect(queries.at(-1)).toEqual([one!.id]);
  });

  it('are read by no timer when no other process may change them', async () => {
    under.shutdown.close();
    open(false);
    const [one] = await recorded(1);
    const watching = statesOf(watched.watch(one!));
    await turns();
    expect(runtime.timers.size).toBe(0);
    await under.answers.markRequested(one!, 'me');
    await turns();
    expect(watching.states).toEqual(['created', 'requested']);
  });

  it('are read no more when nobody watches, and again for the next watcher', async () => {
    const [one] = await recorded(1);
    const { subscription } = statesOf(watched.watch(one!));
    await turns();
    subscription.unsubscribe();
    expect(runtime.timers.size).toBe(0);
    await under.answers.markRequested(one!, 'me');
    await turns();
    expect(queries).toHaveLength(1);
    expect(await firstValueFrom(watched.watch(one!))).toMatchObject({ state: 'requested' });
  });

  it('set no timer when the last watcher leaves during a query', async () => {
    const [one] = await recorded(1);
    const { subscription, states } = statesOf(watched.watch(one!));
    await Promise.resolve();
    subscription.unsubscribe();
    await turns();
    expect(states).toEqual([]);
    expect(runtime.timers.size).toBe(0);
  });

  it('are read by one query at a time, even if changes come faster', async () => {
    const [one] = await recorded(1);
    const { states } = statesOf(watched.watch(one!));
    await Promise.resolve();
    await Promise.resolve();
    await changeElsewhere(one!);
    for (let change = 0; change < 1_000; change += 1) under.signals.changes$.next(one!);
    await turns();
    expect(queries.length).toBeLessThanOrEqual(2);
    expect(states.at(-1)).toBe('requested');
  });

  it('show a new watcher nothing older than what it may know, when a query is running', async () => {
    const key: OperationKey = keyOf('recorded-during-the-query');
    const early = statesOf(watched.watch(key));
    await Promise.resolve();
    await Promise.resolve();
    expect(queries).toHaveLength(1);
    const late = statesOf(watched.watch(key));
    await aRecordedPayment(store, { id: key.id });
    await turns();
    expect(early.states).toEqual([null, 'created']);
    expect(late.states).toEqual(['created']);
  });

  it('go on when the store is available again, and new watchers do not add queries meanwhile', async () => {
    const [one, two] = await recorded(2);
    failure = new StoreUnavailableError('away');
    const first = statesOf(watched.watch(one!));
    await turns();
    const second = Array.from({ length: 50 }, () => statesOf(watched.watch(two!)));
    await turns();
    expect(queries).toHaveLength(1);
    runtime.step();
    await turns();
    expect(queries).toHaveLength(2);
    failure = null;
    runtime.step();
    await turns();
    expect(queries).toHaveLength(3);
    expect(first).toMatchObject({ states: ['created'], errors: [] });
    expect(second[49]).toMatchObject({ states: ['created'], errors: [] });
  });

  it('are read in spite of an operation whose id causes an error, which only its watchers get', async () => {
    const payments = await recorded(3);
    const mistake = new TypeError('a mistake');
    const findMany = store.operations.findMany.bind(store.operations);
    store.operations.findMany = async (account, ids) => {
      if (ids.includes('wrong')) throw mistake;
      return findMany(account, ids);
    };
    const wrong = statesOf(watched.watch(keyOf('wrong')));
    const right = payments.map((payment) => statesOf(watched.watch(payment)));
    await turns();
    expect(wrong.errors).toEqual([mistake]);
    expect(right.map(({ states }) => states)).toEqual([['created'], ['created'], ['created']]);
  });

  it('complete when the application closes', async () => {
    const [one] = await recorded(1);
    const { states } = statesOf(watched.watch(one!));
    await turns();
    under.shutdown.close();
    expect(states).toEqual(['created', 'complete']);
    expect(runtime.timers.size).toBe(0);
  });

  it('that do not exist are null', async () => {
    const { states } = statesOf(watched.watch(keyOf('nothing')));
    await turns();
    expect(states).toEqual([null]);
  });

  it.each([
    ['while the query runs', 0],
    ['after it has failed', 20],
  ])(
    'are read for a new watcher when the last one left a store that was away, %s',
    async (_, before) => {
      const [payment] = await recorded(1);
      failure = new StoreUnavailableError('away');
      const first = statesOf(watched.watch(payment!));
      await turns(before);
      first.subscription.unsubscribe();
      await turns();
      failure = null;
      const { states } = statesOf(watched.watch(payment!));
      await turns();
      expect(states).toEqual(['created']);
    },
  );
});
