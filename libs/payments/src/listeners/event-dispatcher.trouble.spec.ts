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
import { SLOW_AFTER_MS } from './call-queue.js';
import type { EventDispatcher } from './event-dispatcher.js';
import type { Listener } from './listeners-explorer.js';

Logger.overrideLogger(false);

const LISTENER = { id: 'Shop.mail', event: 'payment.failed' } as const;
const ONE_AT_ONCE = {
  ...LISTENING,
  listeners: { ...LISTENING.listeners, concurrency: 1 },
};

describe('a listener in trouble', () => {
  let processes: ListeningProcesses;
  let commits: LedgerCommits;
  let dispatcher: EventDispatcher;
  beforeEach(() => {
    processes = new ListeningProcesses();
  });
  afterEach(() => processes.close());

  const started = async (call: Listener['call'], settings = ONE_AT_ONCE): Promise<void> => {
    dispatcher = await processes.open([], settings, { others: [{ ...LISTENER, call }] });
    commits = processes.commitsOf(dispatcher);
    dispatcher.onApplicationBootstrap();
  };
  const commit = (stream: string): Promise<unknown> =>
    commits.commit(aChange('payment.failed', stream));

  it.each([
    ['an error without a message', () => Object.assign(new Error('x'), { message: undefined })],
    ['an error whose message is an object', () => Object.assign(new Error(), { message: {} })],
    ['an object without a prototype', () => Object.create(null) as object],
    ['a symbol', () => Symbol('x')],
  ])('that throws %s is called again', async (_, thrown) => {
    let calls = 0;
    await started(async () => {
      calls += 1;
      if (calls === 1) throw thrown();
    });
    await commit('p1');
    await until(async () => (await processes.stateOf('p1')) === 'done');
    expect(calls).toBe(2);
  });

  it('is called again after the lease, and not held for ever, when an error of ours prevents the outcome of its call', async () => {
    const { events } = processes.store;
    const renewed: string[] = [];
    const { renewCalls } = events;
    events.renewCalls = (calls, ms) => {
      renewed.push(...calls.map(({ id }) => id));
      return renewCalls.call(events, calls, ms);
    };
    // This setting stands for any fault of ours while a call is made.
    const broken = { retryScheduleMs: undefined as never };
    let called = (): void => undefined;
    const isCalled = new Promise<void>((resolve) => (called = resolve));
    const listener = (): Promise<void> => {
      called();
      return Promise.reject(new Error('no'));
    };
    await started(listener, {
      ...ONE_AT_ONCE,
      listeners: { ...ONE_AT_ONCE.listeners, ...broken, leaseMs: 60 },
    });
    await commit('p1');
    await isCalled;
    // It may be renewed before the fault comes. A call that is held is renewed for ever.
    do {
      renewed.length = 0;
      await new Promise((resolve) => setTimeout(resolve, 200));
    } while (renewed.length > 0);
    processes.runtime.advance(60);
    const wanted = { account: 'default', most: 1, listeners: [{ id: LISTENER.id, most: 1 }] };
    expect(await events.claimCalls([wanted], 1, 60_000)).toHaveLength(1);
  });

  it('is called for a retry that is claimed before the answer to the failure comes', async () => {
    const { events } = processes.store;
    const { finishCall } = events;
    let claimedAgain = (): void => undefined;
    const again = new Promise<void>((resolve) => (claimedAgain = resolve));
    events.finishCall = async (...given) => {
      const result = await finishCall.apply(events, given);
      if (given[1].kind !== 'retry') return result;
      // The retry is due after five milliseconds, and a real timer may run a little early.
      setTimeout(() => dispatcher.wake('default'), 30);
      await again;
      return result;
    };
    const { claimCalls } = events;
    let calls = 0;
    events.claimCalls = async (...given) => {
      const claimed = await claimCalls.apply(events, given);
      if (claimed.length > 0) setTimeout(claimedAgain, 20);
      return claimed;
    };
    await started(async () => {
      calls += 1;
      if (calls === 1) throw new Error('first');
    }, LISTENING);
    await commit('p1');
    await until(async () => (await processes.stateOf('p1')) === 'done');
    expect(calls).toBe(2);
  });

  it('that is behind is called for its oldest events, although new ones come faster than it ends them', async () => {
    const { runtime } = processes;
    const numbers = new Map<string, number>();
    const called: number[] = [];
    const arrive = async (): Promise<void> => {
      const change = aChange('payment.failed', `p${numbers.size}`);
      numbers.set(change.events[0]?.id as string, numbers.size);
      await commits.commit(change);
    };
    await started(async (event) => {
      called.push(numbers.get((event as { eventId: string }).eventId) as number);
      runtime.advance(1_000);
      if (called.length >= 300) return;
      await arrive();
      if (called.length % 5 === 0) await arrive();
      await new Promise((resolve) => setImmediate(resolve));
    });
    await arrive();
    await until(() => called.length >= 300);
    const all = Array.from({ length: Math.max(...called) }, (_, n) => n);
    expect(all.filter((n) => !called.includes(n))).toEqual([]);
  });

  it('is named in the log after ten seconds of its call, with the calls that wait behind it', async () => {
    const { runtime } = processes;
    const timer = runtime.timer.bind(runtime);
    let afterTenSeconds = (): void => undefined;
    runtime.timer = (ms, call, options) => {
      if (ms !== SLOW_AFTER_MS || !options?.background) return timer(ms, call, options);
      afterTenSeconds = call;
      return () => undefined;
    };
    const warnings: string[] = [];
    const log = (): void => undefined;
    Logger.overrideLogger({ log, warn: (line) => void warnings.push(String(line)), error: log });
    const hanging = new HangingListener('payment.failed');
    await started(() => hanging.call());
    await commit('p1');
    await until(() => hanging.begun === 1);
    for (const stream of ['p2', 'p3']) await commit(stream);
    runtime.advance(SLOW_AFTER_MS);
    afterTenSeconds();
    Logger.overrideLogger(false);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^a call of listener Shop\.mail of payment\.failed has run for 10 s, and 2 calls wait behind it\./,
      ),
    ]);
    hanging.end();
    await until(async () => (await processes.stateOf('p3')) === 'done');
  });

  it('leaves calls that have waited for half of their lease to other processes at once', async () => {
    await started(async () => {
      processes.runtime.advance(ONE_AT_ONCE.listeners.leaseMs / 2 + 1);
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    const { events } = processes.store;
    const claim = events.claimCalls.bind(events);
    events.claimCalls = async () => [];
    await Promise.all(Array.from({ length: 10 }, (_, n) => commit(`p${n}`)));
    const wanted = { account: 'default', most: 99, listeners: [{ id: LISTENER.id, most: 99 }] };
    let claimed = 0;
    await until(async () => (claimed += (await claim([wanted], 99, 3_600_000)).length) === 9);
    expect(claimed).toBe(9);
  });
});
