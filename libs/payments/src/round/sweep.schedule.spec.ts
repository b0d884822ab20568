import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { PlatformClocks } from '../platform/platform-clock.js';
import { PlatformAnswerTooLargeError } from '../platform.errors.js';
import type {
  Listed,
  PollingWindowsService,
} from '../platform/resources/polling-windows.service.js';
import type { Resources } from '../platform/resources.js';
import type { Transaction } from '../money/transaction.js';
import type { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  aNewPayment,
  anUnknownPayment,
  aTransaction,
  SETTINGS,
  resourcesWith,
  tillTransactionsOf,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';
import { matcherOf } from '../testing/operation-parts.fixture.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { TillSweeper } from '../tills/till-sweeper.js';
import { AccountSweeps, SweepSchedule } from './sweeps.service.js';

Logger.overrideLogger(false);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const ACCOUNT = 'default';
const ALL_READ = { scope: 'company' };

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('sweeps', () => {
  let runtime: SkippingRuntime;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let shutdown: ShutdownSignal;
  let schedule: SweepSchedule;
  let sweeps: AccountSweeps;
  /** Every requested window, and the time of the request. */
  let asked: { from: number; to: number; at: number }[];
  let underWay: number;
  let mostUnderWay: number;
  /** The transactions that the platform lists, and the maximum in one answer. */
  let listed: Transaction[];
  let limit: number;
  /** The platform lists this many more items in each answer, and they cannot be read. */
  let unread: number;
  let answerAfter: (() => Promise<void>) | null;

  /** The polling requests of the platform. */
  const windows = {
    read: async (_: string, from: Date, to: Date): Promise<Listed> => {
      asked.push({ from: from.getTime(), to: to.getTime(), at: runtime.now() });
      underWay += 1;
      mostUnderWay = Math.max(mostUnderWay, underWay);
      await answerAfter?.();
      underWay -= 1;
      const found = listed.filter(({ originationTime }) => {
        const at = Date.parse(originationTime ?? '');
        return at >= from.getTime() && at < to.getTime();
      });
      if (found.length > limit) throw new PlatformAnswerTooLargeError('get polling');
      return { transactions: found, unread };
    },
  };
  let clocks: PlatformClocks;
  const client = { learnClock: async () => clocks.clock(ACCOUNT) };
  const resources = resourcesWith({ client });

  const start = async (sweepEveryMs = 15 * MINUTE): Promise<void> => {
    const under = aLedger(
      store,
      { reconciliation: { ...SETTINGS.reconciliation, sweepEveryMs } },
      runtime,
    );
    const { accounts } = under;
    ({ shutdown, clocks } = under);
    const transactions = tillTransactionsOf(under);
    const sweeper = new TillSweeper(
      windows as unknown as PollingWindowsService,
      transactions,
      store.anomalies,
      shutdown,
      accounts,
      runtime,
    );
    await startWith(under, sweeper, resources);
  };

  const startWith = async (
    given: LedgerUnderTest,
    sweeper: TillSweeper,
    from: Resources,
  ): Promise<void> => {
    under = given;
    const { shutdown, accounts, finder } = given;
    const { sweeps: progress, accounts: started, plannedWork } = store;
    const matcher = matcherOf(under);
    sweeps = new AccountSweeps(
      progress,
      started,
      sweeper,
      matcher,
      from,
      shutdown,
      accounts,
      runtime,
    );
    schedule = new SweepSchedule(sweeps, started, shutdown, accounts, plannedWork, finder, runtime);
    await schedule.onApplicationBootstrap();
  };

  beforeEach(() => {
    runtime = new SkippingRuntime();
    store = new MemoryStore(() => runtime.now());
    asked = [];
    listed = [];
    limit = 1_000;
    unread = 0;
    underWay = 0;
    mostUnderWay = 0;
    answerAfter = null;
  });

  afterEach(() => schedule.onModuleDestroy());

  it('begin within a minute of the start, so that a process that restarts often still sweeps', async () => {
    const startedAt = runtime.now();
    await start();
    while (asked.length === 0) await turn();
    expect((asked[0]?.at ?? 0) - startedAt).toBeLessThanOrEqual(MINUTE);
  });

  it('begin within a minute of the start, also while the platform of another account does not answer', async () => {
    const under = aLedger(store, {}, runtime);
    const { accounts } = under;
    ({ shutdown, clocks } = under);
    accounts.add({ ...SETTINGS, account: 'second', path: 'second' });
    const silent = {
      learnClock: () =>
        new Promise((resolve) => shutdown.signal.addEventListener('abort', resolve)),
    };
    const ofEach = {
      resources: (account: string) => ({ client: account === 'second' ? silent : client }),
    } as unknown as Resources;
    const swept: string[] = [];
    const sweeper = {
      sweep: async (account: string) => (swept.push(account) > 0 ? [] : null),
    } as unknown as TillSweeper;
    await startWith(under, sweeper, ofEach);
    for (let turns = 0; turns < 100 && swept.length === 0; turns += 1) await turn();
    expect(swept).toContain('default');
  });

  it('never overlap, because a second call waits for the running sweep', async () => {
    await start(0);
    let answer = (): void => undefined;
    answerAfter = () => new Promise<void>((resolve) => (answer = resolve));
    const three = Promise.all([
      sweeps.sweep('default'),
      sweeps.sweep('default'),
      sweeps.sweep('default'),
    ]);
    while (asked.length === 0) await turn();
    answerAfter = null;
    answer();
    expect(await three).toEqual([true, true, true]);
    expect(mostUnderWay).toBe(1);
  });

  it('halve a window whose answer is too large, until the whole window is read', async () => {
    await start(0);
    const from = runtime.now();
    listed = Array.from({ length: 50 }, (_, n) =>
      aTransaction({
        reference: `REF${n}`,
        originationTime: new Date(from + n * 10 * SECOND).toISOString(),
      }),
    );
    limit = 7;
    runtime.advance(10 * MINUTE);
    expect(await sweeps.sweep('default')).toBe(true);
    for (const { reference } of listed)
      expect(await store.transactions.find(ACCOUNT, reference as string)).not.toBeNull();
    const { watermark } = await store.sweeps.progress(ACCOUNT, new Date(0));
    expect(watermark.getTime()).toBe(from + 10 * MINUTE);
  });

  it('begin a minute before the first start of any process, because the clock of the platform is known only roughly, even if that process crashed before its sweep', async () => {
    const firstStart = runtime.now();
    await store.accounts.noteStarts([ACCOUNT]);
    runtime.advance(7 * MINUTE);
    await start(0);
    await sweeps.sweep('default');
    const { sweepFrom } = await store.sweeps.progress(ACCOUNT, new Date(0));
    expect(sweepFrom.getTime()).toBe(firstStart - MINUTE);
  });

  it('read a time again that was marked as swept while a clock was ahead', async () => {
    await start(0);
    await sweeps.sweep('default');
    await store.sweeps.save(ACCOUNT, 'nobody', {
      watermark: new Date(0),
      recoveredAt: null,
      ...ALL_READ,
    });
    const ahead = new Date(runtime.now() + 24 * 60 * MINUTE);
    await store.sweeps.claim(ACCOUNT, 'ahead', 0);
    runtime.advance(16 * MINUTE);
    await store.sweeps.claim(ACCOUNT, 'ahead', 0);
    await store.sweeps.save(ACCOUNT, 'ahead', {
      watermark: ahead,
      recoveredAt: ahead,
      ...ALL_READ,
    });
    asked = [];
    await sweeps.sweep('default');
    expect(Math.min(...asked.map(({ from }) => from))).toBeLessThan(
      runtime.now() - 24 * 60 * MINUTE,
    );
    const { watermark } = await store.sweeps.progress(ACCOUNT, new Date(0));
    expect(watermark.getTime()).toBe(runtime.now());
  });

  it('keep other processes from sweeping until the running one has ended, also when the application closes', async () => {
    await start(0);
    let answer = (): void => undefined;
    answerAfter = () => new Promise<void>((resolve) => (answer = resolve));
    const sweep = sweeps.sweep(ACCOUNT);
    while (asked.length === 0) await turn();
    const closed = schedule.onModuleDestroy();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(await store.sweeps.claim(ACCOUNT, 'another process', SECOND)).toBe(false);
    answer();
    await Promise.all([sweep, closed]);
    expect(await store.sweeps.claim(ACCOUNT, 'another process', SECOND)).toBe(true);
  });

  it('do not mark a transaction as swept that waits for its payment when the application closes', async () => {
    await start(0);
    const from = runtime.now();
    await store.operations.record(aNewPayment({ id: 'open' }), { sendBeforeMs: MINUTE });
    await store.ledger.commit({
      account: ACCOUNT,
      operation: { id: 'open', version: 1, set: { state: 'requested', sentAt: new Date(from) } },
      events: [],
      history: [],
    });
    listed = [aTransaction({ originationTime: new Date(from).toISOString() })];
    runtime.advance(MINUTE);
    answerAfter = async () => shutdown.close();
    await sweeps.sweep('default');
    expect(await store.transactions.find(ACCOUNT, 'ONE')).toBeNull();
    const { watermark } = await store.sweeps.progress(ACCOUNT, new Date(0));
    expect(watermark.getTime()).toBe(from - MINUTE);
  });

  it('find transactions that were listed late, even after polling has failed for days', async () => {
    await start(0);
    await sweeps.sweep('default');
    const at = runtime.now() + MINUTE;
    runtime.advance(60 * MINUTE);
    await sweeps.sweep('default');
    // It is listed only now. Then polling fails for three days.
    listed = [aTransaction({ originationTime: new Date(at).toISOString() })];
    runtime.advance(3 * 24 * 60 * MINUTE);
    await sweeps.sweep('default');
    expect(await store.transactions.find(ACCOUNT, 'ONE')).not.toBeNull();
  });

  it('begin at the first start if polling has failed since then', async () => {
    await start(0);
    const from = runtime.now();
    answerAfter = () => Promise.reject(new Error('lists are away'));
    await expect(sweeps.sweep('default')).rejects.toThrow('lists are away');
    runtime.advance(120 * MINUTE);
    const sweptTo = new Date(runtime.now());
    await store.sweeps.claim(ACCOUNT, 'another', MINUTE);
    await store.sweeps.save(ACCOUNT, 'another', {
      watermark: sweptTo,
      recoveredAt: null,
      ...ALL_READ,
    });
    await store.sweeps.claim(ACCOUNT, 'another', 0);
    runtime.advance(5 * 24 * 60 * MINUTE);
    answerAfter = null;
    asked = [];
    await sweeps.sweep('default');
    expect(Math.min(...asked.map((window) => window.from))).toBeLessThan(from);
  });

  describe('that read the whole window of a payment without an id', () => {
    let payment: PaymentRecord;
    const stateOf = async ({ id }: PaymentRecord): Promise<Partial<PaymentRecord>> =>
      under.ledger.find({ account: ACCOUNT, id });
    const money = (minutes: number, reference = 'ONE'): Transaction =>
      aTransaction({
        reference,
        originationTime: new Date(Number(payment.sentAt) + minutes * MINUTE).toISOString(),
      });

    beforeEach(async () => {
      await start(0);
      runtime.advance(30 * MINUTE);
      await sweeps.sweep(ACCOUNT);
      payment = await anUnknownPayment(under);
    });

    it('match it with the money that they list', async () => {
      listed = [money(5)];
      runtime.advance(10 * MINUTE);
      await sweeps.sweep(ACCOUNT);
      expect(await stateOf(payment)).toMatchObject({ state: 'unknown' });
      runtime.advance(6 * MINUTE);
      await sweeps.sweep(ACCOUNT);
      expect(await stateOf(payment)).toMatchObject({ state: 'succeeded' });
    });

    it('send it to review when they list no money that fits', async () => {
      runtime.advance(17 * MINUTE);
      await sweeps.sweep(ACCOUNT);
      expect(await stateOf(payment)).toMatchObject({ state: 'needs_review', cause: 'no_evidence' });
    });

    it('decide nothing when an item cannot be read, also one of an earlier list of the same sweep', async () => {
      // The platform has given no list for a day, and then gives two: the windows of the payments lie in both.
      runtime.advance(24 * 60 * MINUTE - 25 * MINUTE);
      const late = await anUnknownPayment(under);
      runtime.advance(40 * MINUTE);
      asked = [];
      answerAfter = async () => void (unread = asked.length === 1 ? 1 : 0);
      await sweeps.sweep(ACCOUNT);
      const [first, second] = asked;
      expect(first?.to).toBeGreaterThan(Number(late.sentAt) - 2 * MINUTE);
      expect(first?.to).toBeLessThan(Number(late.sentAt) + 15 * MINUTE);
      expect(second?.to).toBeGreaterThan(Number(late.sentAt) + 15 * MINUTE);
      expect(await stateOf(payment)).toMatchObject({ cause: 'ambiguous' });
      expect(await stateOf(late)).toMatchObject({ cause: 'ambiguous' });
    });

    it('go on when it cannot be matched', async () => {
      const other = await anUnknownPayment(under, { amountMinor: '666' });
      const { findUntied } = store.transactions;
      store.transactions.findUntied = async (account, query) => {
        if (query.amountMinor === '666') throw new Error('a value that the store cannot compare');
        return findUntied.call(store.transactions, account, query);
      };
      runtime.advance(17 * MINUTE);
      expect(await sweeps.sweep(ACCOUNT)).toBe(true);
      expect(await stateOf(payment)).toMatchObject({ state: 'needs_review' });
      expect(await stateOf(other)).toMatchObject({ state: 'unknown' });
    });

    it('match it when it asks for it, and read its window alone once they have passed it', async () => {
      runtime.advance(17 * MINUTE);
      await sweeps.match(payment);
      expect(await stateOf(payment)).toMatchObject({ state: 'needs_review' });
      runtime.advance(5 * 60 * MINUTE);
      await sweeps.sweep(ACCOUNT);
      listed = [money(3)];
      asked = [];
      await sweeps.match(payment);
      const sentAt = Number(payment.sentAt);
      expect(asked).toMatchObject([{ from: sentAt - 2 * MINUTE, to: sentAt + 16 * MINUTE }]);
      expect(await stateOf(payment)).toMatchObject({ state: 'succeeded' });
    });

    it('are not waited for while they take long, or before its window has ended', async () => {
      runtime.advance(15 * MINUTE);
      asked = [];
      await sweeps.match(payment);
      expect(asked).toEqual([]);
      runtime.advance(2 * MINUTE);
      let answer = (): void => undefined;
      answerAfter = () => new Promise<void>((resolve) => (answer = resolve));
      await expect(sweeps.match(payment)).rejects.toThrow(/the sweep is still running/);
      answerAfter = null;
      answer();
      expect(await sweeps.sweep(ACCOUNT)).toBe(true);
      expect(await stateOf(payment)).toMatchObject({ state: 'needs_review' });
    });

    it('match it again when the last 48 hours are covered again', async () => {
      runtime.advance(17 * MINUTE);
      await sweeps.sweep(ACCOUNT);
      runtime.advance(10 * MINUTE);
      await sweeps.sweep(ACCOUNT);
      listed = [money(3)];
      runtime.advance(60 * MINUTE);
      await sweeps.sweep(ACCOUNT);
      expect(await stateOf(payment)).toMatchObject({ state: 'needs_review' });
      runtime.advance(6 * 60 * MINUTE);
      await sweeps.sweep(ACCOUNT);
      expect(await stateOf(payment)).toMatchObject({ state: 'succeeded' });
    });
  });
});
