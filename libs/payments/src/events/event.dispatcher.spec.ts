import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { KnownRecords } from '../ledger/known.records.js';
import { LedgerCommits } from '../ledger/ledger.commits.js';
import { LedgerSignals } from '../ledger/ledger.signals.js';
import { paymentEvent } from '../operations/payments/payments.events.js';
import { StoreUnavailableError } from '../payments.errors.js';
import type { PaymentsSettings } from '../payments.settings.js';
import { Runtime } from '../runtime/runtime.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { WorkLookout } from '../runtime/work.lookout.js';
import { MemoryStore } from '../stores/memory/memory.store.js';
import { SETTINGS, accountsOf } from '../testing/ledger.fixture.js';
import type { EmitterListener } from './emitter.listener.js';
import { EventDispatcher } from './event.dispatcher.js';
import type { Listener, ListenersExplorer } from './listeners.explorer.js';
import type { PaymentsEventName } from './payments.events.js';

Logger.overrideLogger(false);

const OPTIONS: PaymentsSettings = {
  ...SETTINGS,
  listeners: {
    ...SETTINGS.listeners,
    concurrency: 20,
    retryScheduleMs: Array.from({ length: 200 }, () => 5),
  },
};

describe('the dispatcher', () => {
  let store: MemoryStore;
  let passedMs: number;
  let called: string[];
  const running: EventDispatcher[] = [];

  beforeEach(() => {
    passedMs = 0;
    store = new MemoryStore(() => Date.now() + passedMs);
    called = [];
  });

  afterEach(async () => {
    for (const dispatcher of running.splice(0)) await dispatcher.onModuleDestroy();
  });

  /** A process whose one listener listens to these events. */
  const startedWith = async (
    events: readonly PaymentsEventName[],
    options = OPTIONS,
    {
      others = [],
      plain = [],
      second,
      third,
    }: {
      others?: Listener[];
      plain?: Listener[];
      /** A second account of the process, with its listeners. */
      second?: { settings: PaymentsSettings; listeners: Listener[] };
      third?: { settings: PaymentsSettings; listeners: Listener[] };
    } = {},
  ): Promise<EventDispatcher> => {
    const runtime = new Runtime();
    const shutdown = new ShutdownSignal(runtime);
    const call = (event: string) => async (): Promise<void> => void called.push(event);
    const explorer = {
      listenersOf: (account: string) =>
        [second, third].find((other) => other?.settings.account === account)?.listeners ?? [
          ...events.map((event) => ({ id: 'Orders.update', event, call: call(event) })),
          ...others,
        ],
    } as unknown as ListenersExplorer;
    const emitter = { listeners: () => plain } as unknown as EmitterListener;
    const accounts = accountsOf(
      options,
      ...[second, third].flatMap((other) => other?.settings ?? []),
    );
    const dispatcher = new EventDispatcher(
      store.events,
      shutdown,
      explorer,
      emitter,
      accounts,
      new WorkLookout(store.dueWork, accounts, runtime),
      runtime,
    );
    await dispatcher.onModuleInit();
    running.push(dispatcher);
    return dispatcher;
  };

  const emit = (name: 'payment.reversed', stream = 'p1', account = 'default'): Promise<unknown> =>
    store.ledger.commit({
      account,
      events: [paymentEvent(name, { account, stream, via: 'webhook' }, {} as never)],
      history: [],
    });

  /** The only call of the only event of a stream. */
  const stateOf = async (stream: string): Promise<unknown> =>
    (await store.events.list('default', stream))[0]?.calls[0]?.state;

  const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 1));
  };

  it('leaves the call of an unknown listener to a process that has the listener', async () => {
    const old = await startedWith(['payment.succeeded']);
    const next = await startedWith(['payment.succeeded', 'payment.reversed']);
    await emit('payment.reversed');
    const lastError = (): Promise<string | undefined> =>
      store.events.list('default', 'p1').then(([event]) => event?.calls[0]?.lastError ?? undefined);
    old.onApplicationBootstrap();
    while ((await lastError()) === undefined)
      await new Promise((resolve) => setTimeout(resolve, 1));
    // The deployment continues. Otherwise the old process could use all attempts.
    await old.onModuleDestroy();
    next.onApplicationBootstrap();
    while (called.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(called).toEqual(['payment.reversed']);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('no'))],
    ['does not end in time', () => new Promise<void>(() => undefined)],
  ])("calls the host's event bus once, also when one of its listeners %s", async (_, fails) => {
    let calls = 0;
    const call = (): Promise<void> => {
      calls += 1;
      return fails();
    };
    const bus: Listener = { id: 'EventEmitter2', event: 'payment.reversed', once: true, call };
    const options = { ...OPTIONS, listeners: { ...OPTIONS.listeners, timeoutMs: 20 } };
    const dispatcher = await startedWith([], options, { plain: [bus] });
    await emit('payment.reversed');
    dispatcher.onApplicationBootstrap();
    await until(async () => (await stateOf('p1')) === 'done');
    expect(calls).toBe(1);
  });

  it("calls the host's event bus again after its listeners could not be loaded", async () => {
    let loads = 0;
    let calls = 0;
    const bus: Listener = {
      id: 'EventEmitter2',
      event: 'payment.reversed',
      once: true,
      ready: async () => {
        loads += 1;
        if (loads === 1) throw new Error('its listeners could not be loaded');
      },
      call: async () => void (calls += 1),
    };
    const dispatcher = await startedWith([], OPTIONS, { plain: [bus] });
    await emit('payment.reversed');
    dispatcher.onApplicationBootstrap();
    await until(async () => (await stateOf('p1')) === 'done');
    expect({ loads, calls }).toEqual({ loads: 2, calls: 1 });
  });

  it('does not repeat a call whose claim expired while the store was unavailable', async () => {
    const dispatcher = await startedWith(['payment.reversed']);
    const { finishCall, claimCalls } = store.events;
    let isUnavailable = true;
    let claimed = 0;
    store.events.finishCall = async (...args) => {
      if (!isUnavailable) return finishCall.apply(store.events, args);
      passedMs += 2 * OPTIONS.listeners.leaseMs;
      throw new StoreUnavailableError('the store is unavailable');
    };
    store.events.claimCalls = async (...args) => {
      const calls = await claimCalls.apply(store.events, args);
      claimed += calls.length;
      return calls;
    };
    await emit('payment.reversed');
    dispatcher.onApplicationBootstrap();
    await until(() => claimed > 1);
    isUnavailable = false;
    await until(async () => (await stateOf('p1')) === 'done');
    expect(called).toEqual(['payment.reversed']);
  });

  it('does not repeat a call that succeeded while the store was unavailable', async () => {
    const dispatcher = await startedWith(['payment.reversed'], {
      ...OPTIONS,
      listeners: { ...OPTIONS.listeners, leaseMs: 60_000 },
    });
    const finish = store.events.finishCall.bind(store.events);
    let failures = 0;
    store.events.finishCall = async (...args) => {
      failures += 1;
      if (failures < 3) throw new StoreUnavailableError('the store is unavailable');
      return finish(...args);
    };
    await emit('payment.reversed');
    dispatcher.onApplicationBootstrap();
    await until(async () => (await stateOf('p1')) === 'done');
    expect(called).toEqual(['payment.reversed']);
    expect(failures).toBe(3);
  });

  it('keeps places for other listeners while all calls of one listener hang', async () => {
    let endCalls = (): void => undefined;
    const ended = new Promise<void>((resolve) => (endCalls = resolve));
    const mail: Listener = { id: 'A.mail', event: 'payment.reversed', call: () => ended };
    const dispatcher = await startedWith(['payment.reversed'], OPTIONS, { others: [mail] });
    for (let n = 0; n < 40; n += 1) await emit('payment.reversed', `p${n}`);
    dispatcher.onApplicationBootstrap();
    await until(() => called.length === 40);
    endCalls();
  });

  describe('of two accounts', () => {
    const second: PaymentsSettings = { ...OPTIONS, account: 'second', path: 'second' };

    it('keeps places for the listeners of one account while those of the other account hang', async () => {
      let endCalls = (): void => undefined;
      const ended = new Promise<void>((resolve) => (endCalls = resolve));
      const hanging: Listener = { id: 'Shop.mail', event: 'payment.reversed', call: () => ended };
      const dispatcher = await startedWith(['payment.reversed'], OPTIONS, {
        second: { settings: second, listeners: [hanging] },
      });
      for (let n = 0; n < 40; n += 1) {
        await emit('payment.reversed', `p${n}`, 'second');
        await emit('payment.reversed', `p${n}`);
      }
      dispatcher.onApplicationBootstrap();
      await until(() => called.length === 40);
      endCalls();
    });

    it('leaves room for the listeners of a third account while those of two other accounts hang', async () => {
      let endCalls = (): void => undefined;
      const away = new Promise<void>((resolve) => (endCalls = resolve));
      const hanging: Listener = { id: 'Shop.mail', event: 'payment.reversed', call: () => away };
      const third: PaymentsSettings = { ...OPTIONS, account: 'third', path: 'third' };
      const dispatcher = await startedWith(['payment.reversed'], OPTIONS, {
        second: { settings: second, listeners: [hanging] },
        third: { settings: third, listeners: [hanging] },
      });
      for (let n = 0; n < 40; n += 1) {
        await emit('payment.reversed', `p${n}`, 'second');
        await emit('payment.reversed', `p${n}`, 'third');
      }
      passedMs = 1_000;
      await emit('payment.reversed', 'last');
      dispatcher.onApplicationBootstrap();
      await until(() => called.length === 1);
      endCalls();
    });

    it('calls only listeners of the account of the event', async () => {
      const calls: unknown[] = [];
      const same: Listener = {
        id: 'Orders.update',
        event: 'payment.reversed',
        call: async (event) => void calls.push(event),
      };
      const dispatcher = await startedWith(['payment.reversed'], OPTIONS, {
        second: { settings: second, listeners: [same] },
      });
      await emit('payment.reversed', 'p1', 'second');
      dispatcher.onApplicationBootstrap();
      await until(() => calls.length === 1);
      expect(calls).toMatchObject([{ account: 'second' }]);
      expect(called).toEqual([]);
    });

    it('repeats a call by the schedule of its own account', async () => {
      const failing: Listener = {
        id: 'Shop.mail',
        event: 'payment.reversed',
        call: () => Promise.reject(new Error('no')),
      };
      const settings = { ...second, listeners: { ...second.listeners, retryScheduleMs: [] } };
      const dispatcher = await startedWith(['payment.reversed'], OPTIONS, {
        second: { settings, listeners: [failing] },
      });
      await emit('payment.reversed', 'p1', 'second');
      dispatcher.onApplicationBootstrap();
      await until(async () => (await store.events.deadLetters('second', 10)).length === 1);
    });

    it('does not call the listeners of an account without background work', async () => {
      const idle: Listener = {
        id: 'Shop.mail',
        event: 'payment.reversed',
        call: async () => {
          throw new Error('it was called');
        },
      };
      const dispatcher = await startedWith(['payment.reversed'], OPTIONS, {
        second: { settings: { ...second, background: false }, listeners: [idle] },
      });
      await emit('payment.reversed', 'p1', 'second');
      await emit('payment.reversed', 'p1');
      dispatcher.onApplicationBootstrap();
      await until(() => called.length === 1);
      const [event] = await store.events.list('second', 'p1');
      expect(event?.calls).toMatchObject([{ state: 'pending', attempts: 0 }]);
    });
  });

  describe('of a process that commits the event itself', () => {
    let claims: number;
    let commits: LedgerCommits;

    beforeEach(() => {
      claims = 0;
      const claimCalls = store.events.claimCalls.bind(store.events);
      store.events.claimCalls = (...given) => {
        claims += 1;
        return claimCalls(...given);
      };
    });

    const started = async (...given: Parameters<typeof startedWith>): Promise<EventDispatcher> => {
      const dispatcher = await startedWith(...given);
      const runtime = new Runtime();
      const signals = new LedgerSignals(new ShutdownSignal(runtime), runtime);
      commits = new LedgerCommits(
        store.ledger,
        new KnownRecords(new Runtime()),
        signals,
        dispatcher,
      );
      dispatcher.onApplicationBootstrap();
      await until(() => claims > 0);
      return dispatcher;
    };

    const commit = (
      stream: string,
      name: 'payment.reversed' | 'payment.failed' = 'payment.reversed',
      account = 'default',
    ): Promise<unknown> =>
      commits.commit({
        change: {
          account,
          events: [paymentEvent(name, { account, stream, via: 'webhook' }, {} as never)],
          history: [],
        },
      });

    it('makes its calls without looking for them', async () => {
      await started(['payment.reversed']);
      claims = 0;
      await commit('p1');
      await until(async () => (await stateOf('p1')) === 'done');
      expect({ called, claims }).toEqual({ called: ['payment.reversed'], claims: 0 });
    });

    it('makes the calls of one stream in order, and looks for the later ones', async () => {
      let end = (): void => undefined;
      const first: Listener = {
        id: 'Orders.update',
        event: 'payment.failed',
        call: async () => {
          called.push('begun');
          await new Promise<void>((resolve) => (end = resolve));
          called.push('ended');
        },
      };
      await started(['payment.reversed'], OPTIONS, { others: [first] });
      await commit('p1', 'payment.failed');
      await until(() => called.length === 1);
      await commit('p1');
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(called).toEqual(['begun']);
      end();
      await until(() => called.length === 3);
      expect(called).toEqual(['begun', 'ended', 'payment.reversed']);
    });

    it('never runs more calls of a listener at once than it may, and makes all of them', async () => {
      let now = 0;
      let most = 0;
      const slow: Listener = {
        id: 'Shop.mail',
        event: 'payment.failed',
        call: async () => {
          now += 1;
          most = Math.max(most, now);
          await new Promise((resolve) => setTimeout(resolve, 1));
          now -= 1;
          called.push('payment.failed');
        },
      };
      await started(['payment.reversed'], OPTIONS, { others: [slow] });
      await Promise.all(Array.from({ length: 200 }, (_, n) => commit(`p${n}`, 'payment.failed')));
      await until(() => called.length === 200);
      // Half of the account's twenty, because it has another listener.
      expect(most).toBe(10);
      expect(new Set(called)).toEqual(new Set(['payment.failed']));
    });

    it('keeps places for other listeners while all calls of one listener hang', async () => {
      let endCalls = (): void => undefined;
      const hang = new Promise<void>((resolve) => (endCalls = resolve));
      const hanging: Listener = { id: 'Shop.mail', event: 'payment.failed', call: () => hang };
      await started(['payment.reversed'], OPTIONS, { others: [hanging] });
      await Promise.all(Array.from({ length: 100 }, (_, n) => commit(`p${n}`, 'payment.failed')));
      await commit('last');
      await until(() => called.length === 1);
      endCalls();
    });

    it('leaves the calls of a listener that hangs to other processes: some at once, the others after their lease', async () => {
      let endCalls = (): void => undefined;
      const hang = new Promise<void>((resolve) => (endCalls = resolve));
      const hanging: Listener = { id: 'Shop.mail', event: 'payment.failed', call: () => hang };
      await started([], OPTIONS, { others: [hanging] });
      await Promise.all(Array.from({ length: 600 }, (_, n) => commit(`p${n}`, 'payment.failed')));
      const wanted = { account: 'default', most: 600, listeners: [{ id: 'Shop.mail', most: 600 }] };
      expect(await store.events.claimCalls([wanted], 600, 1_000)).toHaveLength(100);
      passedMs = 31_000;
      // Only those that run are renewed.
      expect((await store.events.claimCalls([wanted], 600, 1_000)).length).toBeGreaterThan(500);
      endCalls();
    });

    it('lets no new call overtake those that it left behind for ever', async () => {
      const order: string[] = [];
      const listeners = { ...OPTIONS.listeners, concurrency: 2 };
      let more = 2_000;
      const slow: Listener = {
        id: 'Shop.mail',
        event: 'payment.failed',
        call: async (event) => {
          await new Promise(setImmediate);
          order.push((event as { eventId: string }).eventId);
          if ((more -= 1) > 0) void commit(`later${more}`, 'payment.failed');
        },
      };
      await started([], { ...OPTIONS, listeners }, { others: [slow] });
      const first = Array.from({ length: 600 }, (_, n) => `p${n}`);
      await Promise.all(first.map((stream) => commit(stream, 'payment.failed')));
      await until(() => order.length >= 1_800);
      const ids = await Promise.all(
        first.map(async (stream) => (await store.events.list('default', stream))[0]?.id ?? ''),
      );
      expect(Math.max(...ids.map((id) => order.indexOf(id)))).toBeLessThan(1_400);
      expect(ids.every((id) => order.includes(id))).toBe(true);
    });

    it('makes a call once, although its lease ended while it waited for others', async () => {
      let endCalls = (): void => undefined;
      const hang = new Promise<void>((resolve) => (endCalls = resolve));
      const slow: Listener = {
        id: 'Shop.mail',
        event: 'payment.failed',
        call: async () => {
          await hang;
          called.push('payment.failed');
        },
      };
      await started([], OPTIONS, { others: [slow] });
      await Promise.all(Array.from({ length: 30 }, (_, n) => commit(`p${n}`, 'payment.failed')));
      passedMs = 31_000;
      endCalls();
      const states = async (): Promise<unknown[]> =>
        Promise.all(Array.from({ length: 30 }, (_, n) => stateOf(`p${n}`)));
      await until(async () => (await states()).every((state) => state === 'done'));
      expect(called).toHaveLength(30);
    });

    it('makes the calls that it has claimed before it stops', async () => {
      const slow: Listener = {
        id: 'Shop.mail',
        event: 'payment.failed',
        call: async () => {
          await new Promise((resolve) => setTimeout(resolve, 2));
          called.push('payment.failed');
        },
      };
      const dispatcher = await started([], OPTIONS, { others: [slow] });
      await Promise.all(Array.from({ length: 40 }, (_, n) => commit(`p${n}`, 'payment.failed')));
      await dispatcher.onModuleDestroy();
      expect(called).toHaveLength(40);
      await commit('late', 'payment.failed');
      expect((await store.events.list('default', 'late'))[0]?.calls).toMatchObject([
        { state: 'pending', attempts: 0 },
      ]);
    });

    it('gives each listener a copy of the payload', async () => {
      const payloads: { eventId: string }[] = [];
      const keeping = (id: string): Listener => ({
        id,
        event: 'payment.failed',
        call: async (event) => void payloads.push(event as { eventId: string }),
      });
      await started([], OPTIONS, { others: [keeping('One.hear'), keeping('Other.hear')] });
      await commit('p1', 'payment.failed');
      await until(() => payloads.length === 2);
      expect(payloads[0]).toEqual(payloads[1]);
      expect(payloads[0]).not.toBe(payloads[1]);
      expect(Object.isFrozen(payloads[0])).toBe(true);
    });
  });

  it('reports its own listeners as missing when it does no background work and no other process calls them', async () => {
    const dashboard = await startedWith(['payment.reversed'], { ...OPTIONS, background: false });
    await emit('payment.reversed');
    passedMs = 11 * 60_000;
    expect(await dashboard.missingListeners('default')).toMatchObject([
      { listener: 'Orders.update' },
    ]);
    expect(await (await startedWith(['payment.reversed'])).missingListeners('default')).toEqual([]);
  });
});
