import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ClosingSignal } from '../http/closing.signal.js';
import { newEvent, type PaymentsEventName } from '../ledger/ledger.events.js';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import { MemoryStore } from '../ledger/memory/memory.store.js';
import { StoreUnavailableError } from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { Runtime } from '../runtime/runtime.js';
import { SETTINGS } from '../testing/ledger.fixture.js';
import type { EmitterListener } from './emitter.listener.js';
import { EventDispatcher } from './event.dispatcher.js';
import type { Listener, ListenersExplorer } from './listeners.explorer.js';

Logger.overrideLogger(false);

const OPTIONS: ResolvedPaymentsOptions = {
  ...SETTINGS,
  listeners: { ...SETTINGS.listeners, retryScheduleMs: Array.from({ length: 200 }, () => 5) },
};

describe('a dispatcher', () => {
  let store: MemoryStore;
  let passedMs: number;
  let heard: string[];
  const running: EventDispatcher[] = [];

  beforeEach(() => {
    passedMs = 0;
    store = new MemoryStore(() => Date.now() + passedMs);
    heard = [];
  });

  afterEach(async () => {
    for (const dispatcher of running.splice(0)) await dispatcher.onModuleDestroy();
  });

  /** A process whose one listener listens to these events. */
  const startedWith = async (
    events: readonly PaymentsEventName[],
    options = OPTIONS,
    { others = [], plain = [] }: { others?: Listener[]; plain?: Listener[] } = {},
  ): Promise<EventDispatcher> => {
    const runtime = new Runtime();
    const closing = new ClosingSignal(runtime);
    const call = (event: string) => async (): Promise<void> => void heard.push(event);
    const explorer = {
      listenersOf: () => [
        ...events.map((event) => ({ id: 'Orders.hear', event, call: call(event) })),
        ...others,
      ],
    } as unknown as ListenersExplorer;
    const emitter = { listeners: () => plain } as unknown as EmitterListener;
    const feed = new LedgerFeed(closing);
    const dispatcher = new EventDispatcher(
      store,
      feed,
      closing,
      explorer,
      emitter,
      options,
      runtime,
    );
    await dispatcher.onModuleInit();
    running.push(dispatcher);
    return dispatcher;
  };

  const emit = (name: 'payment.reversed', stream = 'p1'): Promise<unknown> =>
    store.commit({
      account: 'default',
      events: [newEvent(name, { account: 'default', stream, via: 'webhook' }, {} as never)],
      history: [],
    });

  /** What has become of the only call of a stream's only event. */
  const stateOf = async (stream: string): Promise<unknown> =>
    (await store.listEvents('default', stream))[0]?.calls[0]?.state;

  const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 1));
  };

  it('leaves an event that its version of a listener does not know to a process that does', async () => {
    const old = await startedWith(['payment.succeeded']);
    const next = await startedWith(['payment.succeeded', 'payment.reversed']);
    await emit('payment.reversed');
    const called = (): Promise<string | undefined> =>
      store.listEvents('default', 'p1').then(([event]) => event?.calls[0]?.lastError ?? undefined);
    old.onApplicationBootstrap();
    while ((await called()) === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
    // The deployment goes on: else the old one could take every attempt there is.
    await old.onModuleDestroy();
    next.onApplicationBootstrap();
    while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(heard).toEqual(['payment.reversed']);
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

  it("calls the host's event bus once it is ready, though it was not at first", async () => {
    let looks = 0;
    let calls = 0;
    const bus: Listener = {
      id: 'EventEmitter2',
      event: 'payment.reversed',
      once: true,
      ready: async () => {
        looks += 1;
        if (looks === 1) throw new Error('its listeners could not be loaded');
      },
      call: async () => void (calls += 1),
    };
    const dispatcher = await startedWith([], OPTIONS, { plain: [bus] });
    await emit('payment.reversed');
    dispatcher.onApplicationBootstrap();
    await until(async () => (await stateOf('p1')) === 'done');
    expect({ looks, calls }).toEqual({ looks: 2, calls: 1 });
  });

  it('does not call a listener again whose claim ended while the store was away', async () => {
    const dispatcher = await startedWith(['payment.reversed']);
    const { finishCall, claimCalls } = store;
    let away = true;
    let claimed = 0;
    store.finishCall = async (...given) => {
      if (!away) return finishCall.apply(store, given);
      passedMs += 2 * OPTIONS.listeners.leaseMs;
      throw new StoreUnavailableError('away');
    };
    store.claimCalls = async (...given) => {
      const calls = await claimCalls.apply(store, given);
      claimed += calls.length;
      return calls;
    };
    await emit('payment.reversed');
    dispatcher.onApplicationBootstrap();
    await until(() => claimed > 1);
    away = false;
    await until(async () => (await stateOf('p1')) === 'done');
    expect(heard).toEqual(['payment.reversed']);
  });

  it('does not call a listener again that succeeded while the store was away', async () => {
    const dispatcher = await startedWith(['payment.reversed'], {
      ...OPTIONS,
      listeners: { ...OPTIONS.listeners, leaseMs: 60_000 },
    });
    const finish = store.finishCall.bind(store);
    let failures = 0;
    store.finishCall = async (...given) => {
      failures += 1;
      if (failures < 3) throw new StoreUnavailableError('away');
      return finish(...given);
    };
    await emit('payment.reversed');
    dispatcher.onApplicationBootstrap();
    await until(async () => (await stateOf('p1')) === 'done');
    expect(heard).toEqual(['payment.reversed']);
    expect(failures).toBe(3);
  });

  it('leaves places for the other listeners when one of them hangs on all its calls', async () => {
    let comeBack = (): void => undefined;
    const away = new Promise<void>((resolve) => (comeBack = resolve));
    const mail: Listener = { id: 'A.mail', event: 'payment.reversed', call: () => away };
    const dispatcher = await startedWith(['payment.reversed'], OPTIONS, { others: [mail] });
    for (let n = 0; n < 40; n += 1) await emit('payment.reversed', `p${n}`);
    dispatcher.onApplicationBootstrap();
    await until(() => heard.length === 40);
    comeBack();
  });

  it('that works on nothing names its own listeners, too, when no other process calls them', async () => {
    const dashboard = await startedWith(['payment.reversed'], { ...OPTIONS, background: false });
    await emit('payment.reversed');
    passedMs = 11 * 60_000;
    expect(await dashboard.unheardListeners()).toMatchObject([{ listener: 'Orders.hear' }]);
    expect(await (await startedWith(['payment.reversed'])).unheardListeners()).toEqual([]);
  });
});
