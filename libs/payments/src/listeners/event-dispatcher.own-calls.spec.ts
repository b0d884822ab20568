import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { LedgerCommits } from '../ledger/ledger-commits.js';
import {
  aChange,
  HangingListener,
  LISTENING,
  ListeningProcesses,
  until,
} from '../testing/dispatcher.fixture.js';
import type { EventDispatcher } from './event-dispatcher.js';
import type { Listener } from './listeners-explorer.js';

Logger.overrideLogger(false);

describe('the dispatcher of a process that commits the event itself', () => {
  let processes: ListeningProcesses;
  let claims: number;
  let commits: LedgerCommits;

  beforeEach(() => {
    processes = new ListeningProcesses();
    claims = 0;
    const { events } = processes.store;
    const claimCalls = events.claimCalls.bind(events);
    events.claimCalls = (...given) => {
      claims += 1;
      return claimCalls(...given);
    };
  });
  afterEach(() => processes.close());

  const started = async (
    ...given: Parameters<ListeningProcesses['open']>
  ): Promise<EventDispatcher> => {
    const dispatcher = await processes.open(...given);
    commits = processes.commitsOf(dispatcher);
    dispatcher.onApplicationBootstrap();
    await until(() => claims > 0);
    return dispatcher;
  };

  const commit = (
    stream: string,
    name: 'payment.reversed' | 'payment.failed' = 'payment.failed',
  ): Promise<unknown> => commits.commit(aChange(name, stream));

  const commitMany = (count: number): Promise<unknown> =>
    Promise.all(Array.from({ length: count }, (_, n) => commit(`p${n}`)));

  /** Returns a listener that does this in each call. */
  const listening = (call: Listener['call']): Listener => ({
    id: 'Shop.mail',
    event: 'payment.failed',
    call,
  });

  it('makes its calls without looking for them', async () => {
    const { called } = processes;
    await started(['payment.reversed']);
    claims = 0;
    await commit('p1', 'payment.reversed');
    await until(async () => (await processes.stateOf('p1')) === 'done');
    expect({ called, claims }).toEqual({ called: ['payment.reversed'], claims: 0 });
  });

  it('makes the calls of one stream in order, and looks for the later ones', async () => {
    const { called } = processes;
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
    await started(['payment.reversed'], LISTENING, { others: [first] });
    await commit('p1');
    await until(() => called.length === 1);
    await commit('p1', 'payment.reversed');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(called).toEqual(['begun']);
    end();
    await until(() => called.length === 3);
    expect(called).toEqual(['begun', 'ended', 'payment.reversed']);
  });

  it('never runs more calls of a listener at once than it may, and makes all of them', async () => {
    const { called } = processes;
    let now = 0;
    let most = 0;
    const counting = listening(async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 1));
      now -= 1;
      called.push('payment.failed');
    });
    await started(['payment.reversed'], LISTENING, { others: [counting] });
    await commitMany(200);
    await until(() => called.length === 200);
    // Half of the account's twenty, because it has another listener.
    expect(most).toBe(10);
    expect(new Set(called)).toEqual(new Set(['payment.failed']));
  });

  it('keeps places for other listeners while all calls of one listener hang', async () => {
    const hanging = new HangingListener('payment.failed');
    await started(['payment.reversed'], LISTENING, { others: [hanging] });
    await commitMany(100);
    await commit('last', 'payment.reversed');
    await until(() => processes.called.length === 1);
    hanging.end();
  });

  it('leaves the calls of a listener that hangs to other processes: some at once, the others after their lease', async () => {
    const { store, runtime } = processes;
    const hanging = new HangingListener('payment.failed');
    await started([], LISTENING, { others: [hanging] });
    await commitMany(600);
    const wanted = { account: 'default', most: 600, listeners: [{ id: 'Shop.mail', most: 600 }] };
    expect(await store.events.claimCalls([wanted], 600, 1_000)).toHaveLength(100);
    runtime.advance(31_000);
    // Only the claims of calls that run are renewed.
    expect((await store.events.claimCalls([wanted], 600, 1_000)).length).toBeGreaterThan(500);
    hanging.end();
  });

  it('lets no new calls overtake for ever those that it left to other processes', async () => {
    const { store } = processes;
    const order: string[] = [];
    const listeners = { ...LISTENING.listeners, concurrency: 2 };
    let more = 300;
    const busy = listening(async (event) => {
      await new Promise(setImmediate);
      order.push((event as { eventId: string }).eventId);
      if ((more -= 1) > 0) void commit(`later${more}`);
    });
    await started([], { ...LISTENING, listeners }, { others: [busy] });
    await commitMany(600);
    await until(() => order.length >= 800);
    const { items } = await store.events.listRecent('default', { limit: 1_000 });
    const ids = items.filter(({ stream }) => /^p\d+$/.test(stream)).map(({ id }) => id);
    expect(ids).toHaveLength(600);
    expect(Math.max(...ids.map((id) => order.indexOf(id)))).toBeLessThan(800);
    expect(ids.every((id) => order.includes(id))).toBe(true);
  });

  it('makes a call once, although its lease ended while it waited for others', async () => {
    const { called } = processes;
    const hanging = new HangingListener('payment.failed', () => called.push('payment.failed'));
    await started([], LISTENING, { others: [hanging] });
    await commitMany(30);
    processes.runtime.advance(31_000);
    hanging.end();
    const states = (): Promise<unknown[]> =>
      Promise.all(Array.from({ length: 30 }, (_, n) => processes.stateOf(`p${n}`)));
    await until(async () => (await states()).every((state) => state === 'done'));
    expect(called).toHaveLength(30);
  });

  it('leaves a call that it has found to the process that took it over while it waited for others', async () => {
    const { store, runtime } = processes;
    const { events } = store;
    const hanging = new HangingListener('payment.failed');
    const one = { ...LISTENING, listeners: { ...LISTENING.listeners, concurrency: 1 } };
    const dispatcher = await started([], one, { others: [hanging] });
    await store.ledger.commit(aChange('payment.failed', 'found'));
    const { claimCalls } = events;
    let isFound = false;
    events.claimCalls = async (...given) => {
      const calls = await claimCalls(...given);
      // Its own commit takes the only place before the store has answered.
      await commit('own');
      isFound = calls.length === 1;
      return calls;
    };
    dispatcher.wake('default');
    await until(() => isFound && hanging.begun === 1);
    runtime.advance(31_000);
    const wanted = { account: 'default', most: 2, listeners: [{ id: 'Shop.mail', most: 2 }] };
    const others = await claimCalls([wanted], 2, 30_000);
    expect(others.map(({ stream }) => stream)).toContain('found');
    events.claimCalls = () => Promise.resolve([]);
    hanging.end();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(hanging.begun).toBe(1);
  });

  it('makes the calls that it has claimed before it stops', async () => {
    const { store, called } = processes;
    const listener = listening(async () => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      called.push('payment.failed');
    });
    const dispatcher = await started([], LISTENING, { others: [listener] });
    await commitMany(40);
    await dispatcher.onModuleDestroy();
    expect(called).toHaveLength(40);
    await commit('late');
    expect((await store.events.list('default', 'late'))[0]?.calls).toMatchObject([
      { state: 'pending', attempts: 0 },
    ]);
  });

  it('gives each listener a copy of the payload', async () => {
    const payloads: { eventId: string }[] = [];
    const keeping = (id: string): Listener => ({
      ...listening(async (event) => void payloads.push(event as { eventId: string })),
      id,
    });
    await started([], LISTENING, { others: [keeping('One.hear'), keeping('Other.hear')] });
    await commit('p1');
    await until(() => payloads.length === 2);
    expect(payloads[0]).toEqual(payloads[1]);
    expect(payloads[0]).not.toBe(payloads[1]);
    expect(Object.isFrozen(payloads[0])).toBe(true);
  });
});
