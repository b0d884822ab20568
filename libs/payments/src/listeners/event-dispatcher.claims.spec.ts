import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import type { LedgerCommits } from '../ledger/ledger-commits.js';
import { StoreUnavailableError } from '../payments.errors.js';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import type { DueWork } from '../store/due-work.store.js';
import {
  aChange,
  HangingListener,
  LISTENING,
  ListeningProcesses,
  QuietFinder,
  until,
} from '../testing/dispatcher.fixture.js';
import { accountsOf } from '../testing/ledger.fixture.js';
import { RecordedTelemetry } from '../testing/recorded.telemetry.js';
import type { EventDispatcher } from './event-dispatcher.js';
import type { ListenerCall, WantedCalls } from '../store/events.store.js';
import type { Listener } from './listeners-explorer.js';

type EventName = 'payment.failed' | 'payment.reversed';

const LEASE_MS = LISTENING.listeners.leaseMs;
const SECOND: PaymentsSettings = { ...LISTENING, account: 'second', path: 'second' };

const due = (...calls: DueWork['calls']): DueWork => ({
  callbacks: false,
  webhooks: false,
  open: false,
  followed: false,
  accounts: [],
  planned: [],
  calls,
  nextMs: null,
});

describe('the dispatcher without the finder of due work', () => {
  let processes: ListeningProcesses;
  let finder: QuietFinder;
  let dispatcher: EventDispatcher;
  let commits: LedgerCommits;
  /** Each entry is one claim: the calls that the dispatcher asked the store for, and those that it got. */
  const claims: { wanted: readonly WantedCalls[]; got: ListenerCall[] }[] = [];
  const lines: string[] = [];

  beforeEach(() => {
    processes = new ListeningProcesses();
    finder = new QuietFinder();
    claims.length = 0;
    lines.length = 0;
    const note = (level: string) => (line: unknown) => void lines.push(`${level}: ${String(line)}`);
    const loggers = { log: note('log'), warn: note('warn'), error: note('error') };
    Logger.overrideLogger(loggers satisfies LoggerService);
    const { events } = processes.store;
    const claimCalls = events.claimCalls.bind(events);
    events.claimCalls = async (wanted, ...given) => {
      const claim = { wanted: structuredClone(wanted), got: [] as ListenerCall[] };
      claims.push(claim);
      claim.got = await claimCalls(wanted, ...given);
      return claim.got;
    };
  });
  afterEach(async () => {
    await processes.close();
    Logger.overrideLogger(false);
  });

  /** Returns a listener for `payment.failed`. */
  const hearing = (call: Listener['call'] = async () => undefined, id = 'Shop.mail'): Listener => ({
    id,
    event: 'payment.failed',
    call,
  });
  const opened = async (
    listeners: readonly Listener[],
    settings = LISTENING,
    more: Parameters<ListeningProcesses['open']>[2] = {},
  ): Promise<void> => {
    dispatcher = await processes.open([], settings, { others: listeners, finder, ...more });
    commits = processes.commitsOf(dispatcher);
  };
  const started = async (...given: Parameters<typeof opened>): Promise<void> => {
    await opened(...given);
    dispatcher.onApplicationBootstrap();
    await settled();
  };
  const own = (stream: string, name: EventName = 'payment.failed'): Promise<unknown> =>
    commits.commit(aChange(name, stream));
  const ofOther = (stream: string, account = 'default'): Promise<unknown> =>
    processes.store.ledger.commit(aChange('payment.failed', stream, account));
  /** The store stores no outcome until the result is called. */
  const holdOutcomes = (): (() => void) => {
    const { events } = processes.store;
    const finish = events.finishCall.bind(events);
    let store = (): void => undefined;
    const mayStore = new Promise<void>((resolve) => (store = resolve));
    events.finishCall = async (...given) => {
      await mayStore;
      return finish(...given);
    };
    return store;
  };
  /** Commits events of another process, waits until `running` of their calls run, and returns what the next claim asks for. */
  const wantedAfter = async (hanging: HangingListener, calls: number, running: number) => {
    for (let n = 0; n < calls; n += 1) await ofOther(`p${n}`);
    dispatcher.wake('default');
    await until(() => hanging.begun === running);
    claims.length = 0;
    dispatcher.wake('default');
    await until(() => claims.length > 0);
    return claims.at(-1)?.wanted;
  };
  /** Turns of the event loop, which are as many on a busy machine. */
  const settled = async (): Promise<void> => {
    for (let turns = 0; turns < 15; turns += 1)
      await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const concurrency = (most: number): PaymentsSettings => ({
    ...LISTENING,
    listeners: { ...LISTENING.listeners, concurrency: most },
  });
  const stored = async (stream: string, account = 'default') =>
    (await processes.store.events.list(account, stream))[0]?.calls[0];

  describe('claims with a commit', () => {
    const claimOf = (name: EventName) => dispatcher.claimOf('default', aChange(name, 'p1').events);

    it('nothing before its start, for events without a listener, or without background work', async () => {
      await opened([hearing()]);
      expect(claimOf('payment.failed')).toBeUndefined();
      dispatcher.onApplicationBootstrap();
      expect(claimOf('payment.failed')).toEqual({ listeners: ['Shop.mail'], leaseMs: LEASE_MS });
      expect(claimOf('payment.reversed')).toBeUndefined();
      await started([hearing()], { ...LISTENING, background: false });
      expect(claimOf('payment.failed')).toBeUndefined();
    });

    it('a call also while a later call of another stream waits for an earlier one', async () => {
      const hanging = new HangingListener('payment.failed');
      await started([hanging, { ...hearing(), event: 'payment.reversed' }]);
      await own('p1');
      // Without this a claim could find out meanwhile that nothing is left in the store.
      let answer = (): void => undefined;
      const answered = new Promise<void>((resolve) => (answer = resolve));
      processes.store.events.claimCalls = () => answered.then(() => []);
      await own('p1', 'payment.reversed');
      expect(claimOf('payment.failed')).toBeDefined();
      answer();
      hanging.end();
    });

    it('as many calls as there is room for, and leaves the others to later claims', async () => {
      let calls = 0;
      await started([hearing(async () => void (calls += 1))]);
      await Promise.all(Array.from({ length: 700 }, (_, n) => own(`p${n}`)));
      await until(() => calls === 700);
      expect(lines).toEqual([]);
    });
  });

  describe('claims from the store', () => {
    it('what its listeners have room for', async () => {
      const hanging = new HangingListener('payment.failed');
      await started([hanging]);
      expect(claims.map(({ wanted }) => wanted)).toEqual([
        [{ account: 'default', most: 20, listeners: [{ id: 'Shop.mail', most: 20 }] }],
      ]);
      expect(await wantedAfter(hanging, 5, 5)).toEqual([
        { account: 'default', most: 15, listeners: [{ id: 'Shop.mail', most: 15 }] },
      ]);
      hanging.end();
    });

    it('no calls of a listener whose hanging calls fill half of the room, and those of the other listeners', async () => {
      const hanging = new HangingListener('payment.failed');
      await started([hanging, { ...hearing(), id: 'Orders.update', event: 'payment.reversed' }]);
      expect(await wantedAfter(hanging, 12, 10)).toEqual([
        { account: 'default', most: 10, listeners: [{ id: 'Orders.update', most: 10 }] },
      ]);
      hanging.end();
    });

    it('nothing while all of its calls have ended and their outcomes are being stored', async () => {
      const storeOutcomes = holdOutcomes();
      let calls = 0;
      await started([hearing(async () => void (calls += 1))], concurrency(1));
      await own('p1');
      await until(() => calls === 1);
      await settled();
      const before = claims.length;
      await ofOther('p2');
      dispatcher.wake('default');
      await settled();
      expect(claims.length).toBe(before);
      storeOutcomes();
      await until(async () => (await stored('p1'))?.state === 'done');
      finder.claimer?.claim();
      await until(() => calls === 2);
      expect(lines).toEqual([]);
    });

    it('the calls of each account once, and only of accounts that may have due calls', async () => {
      await started([hearing()], LISTENING, {
        accounts: [{ settings: SECOND, listeners: [hearing()] }],
      });
      expect(claims.at(-1)?.wanted.map(({ account }) => account)).toEqual(['default', 'second']);
      dispatcher.wake('second');
      dispatcher.wake('second');
      await settled();
      expect(claims.at(-1)?.wanted.map(({ account }) => account)).toEqual(['second']);
    });

    it('the calls of an account without room later, and those of other accounts meanwhile', async () => {
      const hanging = new HangingListener('payment.failed');
      await started([hanging], concurrency(1), {
        accounts: [{ settings: SECOND, listeners: [hearing()] }],
      });
      // Nobody asks for more when a call of an own commit ends, unless its stream has another one.
      await own('p1');
      await until(() => hanging.begun === 1);
      await ofOther('p2');
      dispatcher.wake('default');
      await ofOther('q1', 'second');
      dispatcher.wake('second');
      await until(async () => (await stored('q1', 'second'))?.state === 'done');
      hanging.end();
      await until(async () => (await stored('p2'))?.state === 'done');
    });

    it('all that is due of two accounts, although one claim takes only some of each', async () => {
      const called: string[] = [];
      const hear = hearing(async (event) => {
        called.push((event as { account: string }).account);
      });
      for (const account of ['default', 'second'])
        await processes.store.events.registerListeners(
          account,
          [{ event: 'payment.failed', listener: 'Shop.mail' }],
          'start',
        );
      for (let n = 0; n < 15; n += 1) {
        await ofOther(`p${n}`);
        await ofOther(`p${n}`, 'second');
      }
      await started([hear], LISTENING, { accounts: [{ settings: SECOND, listeners: [hear] }] });
      await until(() => called.length === 30);
      expect(claims[0]?.got).toHaveLength(20);
    });

    it('again after a claim that failed, and logs the failure once', async () => {
      const { events } = processes.store;
      const { claimCalls } = events;
      let failures = 0;
      events.claimCalls = async (...given) => {
        failures += 1;
        if (failures === 1) throw new StoreUnavailableError('it is away');
        return claimCalls.apply(events, given);
      };
      await opened([hearing()]);
      await ofOther('p1');
      dispatcher.onApplicationBootstrap();
      await until(async () => (await stored('p1'))?.state === 'done');
      expect(lines).toEqual([
        expect.stringMatching(
          /^error: the store could not claim events; the next claim follows soon: .*it is away/,
        ),
      ]);
    });

    it('nothing of an account that has no background work any more', async () => {
      const known = accountsOf(LISTENING, { ...SECOND });
      await started([hearing()], LISTENING, {
        known,
        accounts: [{ settings: SECOND, listeners: [hearing()] }],
      });
      const claimCalls = processes.store.events.claimCalls;
      let later = 0;
      // The account changes while the dispatcher notes it as due.
      processes.store.events.claimCalls = (...given) => {
        dispatcher.wake('second');
        known.put({ ...SECOND, background: false });
        processes.store.events.claimCalls = claimCalls;
        const claim = claimCalls(...given);
        later = claims.length;
        return claim;
      };
      dispatcher.wake('second');
      await settled();
      dispatcher.wake('default');
      await settled();
      expect(
        claims.slice(later).flatMap(({ wanted }) => wanted.map(({ account }) => account)),
      ).toEqual(['default']);
    });
  });

  describe('looks for work', () => {
    it('only if it has a listener, or may get accounts that have one', async () => {
      await started([]);
      expect(finder.claimer).toBeUndefined();
      const known = accountsOf(LISTENING);
      known.expectMore({ background: true, reconciled: false });
      await started([], LISTENING, { known });
      expect(finder.claimer).toBeDefined();
    });

    it('and claims when calls of its own listeners are due', async () => {
      await started([hearing()]);
      const { claimer } = finder;
      expect(claimer?.isDue(due())).toBe(false);
      expect(claimer?.isDue(due({ account: 'default', listener: 'Other.hear' }))).toBe(false);
      expect(claimer?.isDue(due({ account: 'second', listener: 'Shop.mail' }))).toBe(false);
      await ofOther('p1');
      expect(claimer?.isDue(due({ account: 'default', listener: 'Shop.mail' }))).toBe(true);
      claimer?.claim();
      await until(async () => (await stored('p1'))?.state === 'done');
    });

    it('when a call is to be repeated, at the time of its repetition', async () => {
      let calls = 0;
      await started([
        hearing(async () => {
          calls += 1;
          if (calls === 1) throw new Error('no');
        }),
      ]);
      finder.expected.length = 0;
      await own('p1');
      await until(() => finder.expected.some((inMs) => inMs !== undefined));
      finder.expected.length = 0;
      await until(async () => {
        dispatcher.wake('default');
        return (await stored('p1'))?.state === 'done';
      });
      expect(new Set(finder.expected)).toEqual(new Set([undefined]));
    });
  });

  describe('knows the listeners of accounts', () => {
    it('until an account is closed, whose calls it then claims no more', async () => {
      await started([hearing()], LISTENING, {
        accounts: [{ settings: SECOND, listeners: [hearing()] }],
      });
      expect([...dispatcher.listenerIds('second')]).toEqual(['Shop.mail']);
      claims.length = 0;
      dispatcher.wake('default');
      dispatcher.wake('second');
      await dispatcher.end(SECOND);
      expect([...dispatcher.listenerIds('second')]).toEqual([]);
      expect([...dispatcher.listenerIds('default')]).toEqual(['Shop.mail']);
      await settled();
      expect(claims.flatMap(({ wanted }) => wanted.map(({ account }) => account))).toEqual([
        'default',
      ]);
    });

    it('and warns at once, when it starts, of those with waiting calls that no process makes', async () => {
      const { events } = processes.store;
      await events.registerListeners(
        'default',
        [{ event: 'payment.failed', listener: 'Gone' }],
        'start',
      );
      await ofOther('p1');
      await opened([hearing()]);
      expect(lines).toEqual([
        expect.stringMatching(
          /^warn: 1 events wait for the listener Gone, and no process makes its calls: .* account=default listener=Gone$/,
        ),
      ]);
    });
  });

  describe('ends a call', () => {
    it('that has waited for half of its lease by leaving it to whoever claims it next, which counts as no attempt', async () => {
      const { events } = processes.store;
      const finish = events.finishCall.bind(events);
      const outcomes: unknown[] = [];
      events.finishCall = (call, outcome) => {
        outcomes.push(outcome);
        return finish(call, outcome);
      };
      const hanging = new HangingListener('payment.failed');
      await started([hanging], concurrency(1));
      await own('first');
      await own('late');
      processes.runtime.advance(LEASE_MS / 2 + 1);
      hanging.end();
      await until(async () => (await stored('late'))?.state === 'done');
      expect(outcomes).toEqual([{ kind: 'done' }, { kind: 'done' }]);
      expect(await stored('late')).toMatchObject({ attempts: 1, lastError: null });
      expect(hanging.begun).toBe(2);
    });

    it('that has waited for half of its lease without a line in the log when the store is away, because the lease ends', async () => {
      processes.store.events.renewCalls = () =>
        Promise.reject(new StoreUnavailableError('it is away'));
      const hanging = new HangingListener('payment.failed');
      await started([hanging], concurrency(1));
      await own('first');
      await own('late');
      processes.runtime.advance(LEASE_MS / 2 + 1);
      claims.length = 0;
      hanging.end();
      await until(async () => (await stored('first'))?.state === 'done');
      await settled();
      expect(lines).toEqual([]);
      expect(claims).toEqual([]);
    });

    it('once, although it was claimed again while it runs', async () => {
      const hanging = new HangingListener('payment.failed');
      await started([hanging], concurrency(2));
      await own('p1');
      processes.runtime.advance(2 * LEASE_MS);
      dispatcher.wake('default');
      await until(() => claims.some(({ got }) => got.length === 1));
      await settled();
      hanging.end();
      await until(async () => (await stored('p1'))?.state === 'done');
      expect(hanging.begun).toBe(1);
      expect(lines).toEqual([]);
    });

    it('and begins no more than a hundred others while the store stores no outcome', async () => {
      const storeOutcomes = holdOutcomes();
      let calls = 0;
      await started([hearing(async () => void (calls += 1))]);
      await Promise.all(Array.from({ length: 300 }, (_, n) => own(`p${n}`)));
      await until(() => calls >= 119);
      await settled();
      // The hundredth and each after it hold one of twenty places.
      expect(calls).toBe(119);
      storeOutcomes();
      await until(() => calls === 300);
    });

    it('with a line in the log when its outcome cannot be stored', async () => {
      processes.store.events.finishCall = () => Promise.reject(new Error('disk full'));
      await started([hearing()]);
      await own('p1');
      await until(() => lines.length > 0);
      expect(lines).toEqual([
        expect.stringMatching(
          /^error: the outcome of a listener call could not be stored: Error: disk full account=default listener=Shop\.mail event=payment\.failed eventId=\S+ attempt=1$/,
        ),
      ]);
    });

    it.each([
      [
        'with a warning',
        0,
        [expect.stringMatching(/^warn: a listener call was taken over by another replica/)],
      ],
      ['without a line in the log when an earlier answer of the store was lost', 1, []],
    ])('that another replica has taken over meanwhile %s', async (_, lost, expected) => {
      const { events } = processes.store;
      const finish = events.finishCall.bind(events);
      let answers = 0;
      events.finishCall = async (...given) => {
        const result = await finish(...given);
        answers += 1;
        if (answers <= lost) throw new StoreUnavailableError('the answer was lost');
        return lost > 0 ? result : false;
      };
      await started([hearing()]);
      await own('p1');
      await until(() => answers > lost);
      await settled();
      expect(lines).toEqual(expected);
    });
  });

  it('makes a call of its own commit in the trace of the event', async () => {
    const telemetry = new RecordedTelemetry();
    telemetry.start();
    await started([hearing()]);
    const change = aChange('payment.failed', 'p1');
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
    const events = change.events.map((event) => ({ ...event, traceparent }));
    await commits.commit({ ...change, events });
    const span = await telemetry.ended('process payment.failed');
    await telemetry.stop();
    expect(span.spanContext().traceId).toBe(traceId);
  });

  describe('renews the claims of calls that run', () => {
    const leaseMs = 2 * LEASE_MS;
    const settings = { ...LISTENING, listeners: { ...LISTENING.listeners, leaseMs } };
    /** The timer of the next renewal. */
    let renew: () => void;
    let timers: number[];
    const renewed: string[] = [];

    beforeEach(() => {
      timers = [];
      renewed.length = 0;
      const { runtime, store } = processes;
      const timer = runtime.timer.bind(runtime);
      runtime.timer = (ms, call, options) => {
        if (ms !== leaseMs / 3) return timer(ms, call, options);
        timers.push(ms);
        renew = call;
        return () => void (renew = () => undefined);
      };
      const renewCalls = store.events.renewCalls.bind(store.events);
      store.events.renewCalls = (calls, forMs) => {
        renewed.push(
          `${(calls as ListenerCall[]).map(({ stream }) => stream).join()} for ${forMs}`,
        );
        return renewCalls(calls, forMs);
      };
    });

    it('three times in a lease, and only if some run', async () => {
      const hanging = new HangingListener('payment.failed');
      await started([hanging], settings);
      expect(timers).toEqual([leaseMs / 3]);
      renew();
      await settled();
      expect(renewed).toEqual([]);
      expect(timers).toHaveLength(2);
      await own('p1');
      renew();
      await settled();
      expect(renewed).toEqual([`p1 for ${leaseMs}`]);
      hanging.end();
    });

    it('and says so in the log when they could not be renewed', async () => {
      const hanging = new HangingListener('payment.failed');
      await started([hanging], settings);
      processes.store.events.renewCalls = () => Promise.reject(new Error('it is away'));
      await own('p1');
      renew();
      await until(() => lines.length > 0);
      expect(lines).toEqual([
        'warn: claims of listener calls could not be renewed: Error: it is away',
      ]);
      hanging.end();
    });
  });
});
