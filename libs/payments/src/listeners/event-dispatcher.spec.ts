import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { StoreUnavailableError } from '../payments.errors.js';
import {
  HangingListener,
  LISTENING,
  ListeningProcesses,
  until,
} from '../testing/dispatcher.fixture.js';
import type { Listener } from './listeners-explorer.js';

Logger.overrideLogger(false);

describe('the dispatcher', () => {
  let processes: ListeningProcesses;

  beforeEach(() => {
    processes = new ListeningProcesses();
  });
  afterEach(() => processes.close());

  it('leaves the call of an unknown listener to a process that has the listener', async () => {
    const { store, called } = processes;
    const old = await processes.open(['payment.succeeded']);
    const next = await processes.open(['payment.succeeded', 'payment.reversed']);
    await processes.emit();
    old.onApplicationBootstrap();
    await until(async () => {
      const [event] = await store.events.list('default', 'p1');
      return (event?.calls[0]?.lastError ?? null) !== null;
    });
    // The deployment continues. Otherwise the old process could use all attempts.
    await old.onModuleDestroy();
    next.onApplicationBootstrap();
    next.wake('default');
    await until(() => called.length > 0);
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
    const settings = { ...LISTENING, listeners: { ...LISTENING.listeners, timeoutMs: 20 } };
    const dispatcher = await processes.open([], settings, { plain: [bus] });
    await processes.emit();
    dispatcher.onApplicationBootstrap();
    await until(async () => (await processes.stateOf('p1')) === 'done');
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
    const dispatcher = await processes.open([], LISTENING, { plain: [bus] });
    await processes.emit();
    dispatcher.onApplicationBootstrap();
    await until(async () => (await processes.stateOf('p1')) === 'done');
    expect({ loads, calls }).toEqual({ loads: 2, calls: 1 });
  });

  it('does not repeat a call whose claim expired while the store was unavailable', async () => {
    const { store, runtime, called } = processes;
    const dispatcher = await processes.open(['payment.reversed']);
    const { finishCall, claimCalls } = store.events;
    let isUnavailable = true;
    let claimed = 0;
    store.events.finishCall = async (...args) => {
      if (!isUnavailable) return finishCall.apply(store.events, args);
      runtime.advance(2 * LISTENING.listeners.leaseMs);
      throw new StoreUnavailableError('the store is unavailable');
    };
    store.events.claimCalls = async (...args) => {
      const calls = await claimCalls.apply(store.events, args);
      claimed += calls.length;
      return calls;
    };
    await processes.emit();
    dispatcher.onApplicationBootstrap();
    await until(() => {
      dispatcher.wake('default');
      return claimed > 1;
    });
    isUnavailable = false;
    await until(async () => (await processes.stateOf('p1')) === 'done');
    expect(called).toEqual(['payment.reversed']);
  });

  it('does not repeat a call that succeeded while the store was unavailable', async () => {
    const { store, called } = processes;
    const dispatcher = await processes.open(['payment.reversed']);
    const finish = store.events.finishCall.bind(store.events);
    let failures = 0;
    store.events.finishCall = async (...args) => {
      failures += 1;
      if (failures < 3) throw new StoreUnavailableError('the store is unavailable');
      return finish(...args);
    };
    await processes.emit();
    dispatcher.onApplicationBootstrap();
    await until(async () => (await processes.stateOf('p1')) === 'done');
    expect(called).toEqual(['payment.reversed']);
    expect(failures).toBe(3);
  });

  it('keeps places for other listeners while all calls of one listener hang', async () => {
    const mail = new HangingListener();
    const dispatcher = await processes.open(['payment.reversed'], LISTENING, { others: [mail] });
    for (let n = 0; n < 40; n += 1) await processes.emit(`p${n}`);
    dispatcher.onApplicationBootstrap();
    await until(() => processes.called.length === 40);
    mail.end();
  });

  it('reports its own listeners as missing when it does no background work and no other process calls them', async () => {
    const dashboard = await processes.open(['payment.reversed'], {
      ...LISTENING,
      background: false,
    });
    await processes.emit();
    processes.runtime.advance(11 * 60_000);
    expect(await dashboard.missingListeners('default')).toMatchObject([
      { listener: 'Orders.update' },
    ]);
    const other = await processes.open(['payment.reversed']);
    expect(await other.missingListeners('default')).toEqual([]);
  });
});
