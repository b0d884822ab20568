import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ClosingSignal } from '../http/closing.signal.js';
import { PlatformClock } from '../http/platform.clock.js';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import { Ledger } from '../ledger/ledger.js';
import { MemoryStore } from '../ledger/memory/memory.store.js';
import { TillSweeper } from '../ledger/till.sweeper.js';
import { TillTransactionsService } from '../ledger/till-transactions.service.js';
import { PlatformAnswerTooLargeError } from '../payments.errors.js';
import type { PlatformClient } from '../resources/platform.client.js';
import type { PollingWindowsReader } from '../resources/polling/polling-windows.reader.js';
import type { Transaction } from '../resources/transaction.resource.js';
import { aNewPayment, aTransaction, SETTINGS } from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { SweepSchedule } from './sweep.schedule.js';

Logger.overrideLogger(false);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const ACCOUNT = 'default';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('sweeps', () => {
  let runtime: SkippingRuntime;
  let store: MemoryStore;
  let closing: ClosingSignal;
  let schedule: SweepSchedule;
  /** Every window that the platform was asked for, and when. */
  let asked: { from: number; to: number; at: number }[];
  let underWay: number;
  let mostUnderWay: number;
  /** What the platform lists, and how many of it one answer may hold. */
  let listed: Transaction[];
  let limit: number;
  let answerAfter: (() => Promise<void>) | null;

  /** The platform, as far as a sweep sees it. */
  const windows = {
    read: async (from: Date, to: Date): Promise<Transaction[]> => {
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
      return found;
    },
  } as unknown as PollingWindowsReader;
  const client = { learnClock: async () => undefined } as unknown as PlatformClient;

  const start = async (sweepEveryMs = 15 * MINUTE): Promise<void> => {
    closing = new ClosingSignal(runtime);
    const options = {
      ...SETTINGS,
      reconciliation: { ...SETTINGS.reconciliation, sweepEveryMs },
    };
    const clock = new PlatformClock(runtime);
    const feed = new LedgerFeed(closing);
    const ledger = new Ledger(store, feed, clock, options);
    const transactions = new TillTransactionsService(ledger, store, feed, clock, options);
    const sweeper = new TillSweeper(windows, transactions, store, closing, options, runtime);
    schedule = new SweepSchedule(store, sweeper, client, clock, closing, options, runtime);
    await schedule.onApplicationBootstrap();
  };

  beforeEach(() => {
    runtime = new SkippingRuntime();
    store = new MemoryStore(() => runtime.now());
    asked = [];
    listed = [];
    limit = 1_000;
    underWay = 0;
    mostUnderWay = 0;
    answerAfter = null;
  });

  afterEach(() => schedule.onModuleDestroy());

  it('begin within a minute of the start, so that a process that restarts often sweeps all the same', async () => {
    const startedAt = runtime.now();
    await start();
    while (asked.length === 0) await turn();
    expect((asked[0]?.at ?? 0) - startedAt).toBeLessThanOrEqual(MINUTE);
  });

  it('never overlap: one that is still running is joined', async () => {
    await start(0);
    let answer = (): void => undefined;
    answerAfter = () => new Promise<void>((resolve) => (answer = resolve));
    const sweeps = Promise.all([schedule.sweep(), schedule.sweep(), schedule.sweep()]);
    while (asked.length === 0) await turn();
    answerAfter = null;
    answer();
    expect(await sweeps).toEqual([true, true, true]);
    expect(mostUnderWay).toBe(1);
  });

  it('halve a window whose answer is too large, until all of it is read', async () => {
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
    expect(await schedule.sweep()).toBe(true);
    for (const { reference } of listed)
      expect(await store.findTransaction(ACCOUNT, reference as string)).not.toBeNull();
    const { watermark } = await store.sweepProgress(ACCOUNT, new Date(0));
    expect(watermark.getTime()).toBe(from + 10 * MINUTE);
  });

  it('count from the first start of any process, also when that one died before it swept', async () => {
    const firstStart = runtime.now();
    await store.msSinceFirstStart(ACCOUNT);
    runtime.advance(7 * MINUTE);
    await start(0);
    await schedule.sweep();
    const { sweepFrom } = await store.sweepProgress(ACCOUNT, new Date(0));
    expect(sweepFrom.getTime()).toBe(firstStart);
  });

  it('read again what counted as read while a clock was ahead', async () => {
    await start(0);
    await schedule.sweep();
    await store.saveSweep(ACCOUNT, 'nobody', {
      watermark: new Date(0),
      recoveredAt: null,
    });
    const ahead = new Date(runtime.now() + 24 * 60 * MINUTE);
    await store.claimSweep(ACCOUNT, 'ahead', 0);
    runtime.advance(16 * MINUTE);
    await store.claimSweep(ACCOUNT, 'ahead', 0);
    await store.saveSweep(ACCOUNT, 'ahead', { watermark: ahead, recoveredAt: ahead });
    asked = [];
    expect(await schedule.covers(new Date(runtime.now()))).toBe(true);
    expect(Math.min(...asked.map(({ from }) => from))).toBeLessThan(
      runtime.now() - 24 * 60 * MINUTE,
    );
    const { watermark } = await store.sweepProgress(ACCOUNT, new Date(0));
    expect(watermark.getTime()).toBe(runtime.now());
  });

  it('do not count money as read that waits for its payment when the application closes', async () => {
    await start(0);
    const from = runtime.now();
    await store.recordPayment(aNewPayment({ id: 'open' }), { sendBeforeMs: MINUTE });
    await store.commit({
      account: ACCOUNT,
      payment: { id: 'open', version: 1, set: { state: 'requested', sentAt: new Date(from) } },
      events: [],
      history: [],
    });
    listed = [aTransaction({ originationTime: new Date(from).toISOString() })];
    runtime.advance(MINUTE);
    answerAfter = async () => closing.close();
    await schedule.sweep();
    expect(await store.findTransaction(ACCOUNT, 'ONE')).toBeNull();
    const { watermark } = await store.sweepProgress(ACCOUNT, new Date(0));
    expect(watermark.getTime()).toBe(from);
  });

  it('find what was listed late also after lists were away for days', async () => {
    await start(0);
    await schedule.sweep();
    const at = runtime.now() + MINUTE;
    runtime.advance(60 * MINUTE);
    await schedule.sweep();
    // Listed only now; then the lists are away for three days.
    listed = [aTransaction({ originationTime: new Date(at).toISOString() })];
    runtime.advance(3 * 24 * 60 * MINUTE);
    await schedule.sweep();
    expect(await store.findTransaction(ACCOUNT, 'ONE')).not.toBeNull();
  });

  it('begin at the first start when lists were away since then, however long', async () => {
    await start(0);
    const from = runtime.now();
    answerAfter = () => Promise.reject(new Error('lists are away'));
    await expect(schedule.sweep()).rejects.toThrow('lists are away');
    runtime.advance(120 * MINUTE);
    const sweptTo = new Date(runtime.now());
    await store.claimSweep(ACCOUNT, 'another', MINUTE);
    await store.saveSweep(ACCOUNT, 'another', { watermark: sweptTo, recoveredAt: null });
    await store.claimSweep(ACCOUNT, 'another', 0);
    runtime.advance(5 * 24 * 60 * MINUTE);
    answerAfter = null;
    asked = [];
    await schedule.sweep();
    expect(Math.min(...asked.map((window) => window.from))).toBeLessThan(from);
  });

  it('that take long keep nobody waiting who asks whether they cover a time', async () => {
    await start(0);
    runtime.advance(20 * MINUTE);
    let answer = (): void => undefined;
    answerAfter = () => new Promise<void>((resolve) => (answer = resolve));
    const asking = schedule.covers(new Date(runtime.now() - MINUTE));
    await expect(asking).rejects.toThrow(/still under way/);
    answerAfter = null;
    answer();
    expect(await schedule.sweep()).toBe(true);
  });

  it('say whether they cover a time, and read up to it if they do not', async () => {
    await start(0);
    runtime.advance(20 * MINUTE);
    const time = new Date(runtime.now() - MINUTE);
    expect(await schedule.covers(time)).toBe(true);
    const before = asked.length;
    expect(await schedule.covers(time)).toBe(true);
    expect(asked).toHaveLength(before);
    await store.claimSweep(ACCOUNT, 'another replica', 0);
    expect(await schedule.covers(new Date(runtime.now() + MINUTE))).toBe(false);
  });
});
