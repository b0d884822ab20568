import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PaymentsStore, RestorePause } from '@tillkit/payments/store';
import {
  aPayment,
  aPayout,
  changed,
  newAccount,
  record,
  recorded,
  type OpenStore,
  type StoreUnderTest,
} from './store-under-test.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
const SENDING = { sender: 'one', sentAt: new Date('2026-01-20T12:00:00Z'), giveUpInMs: 40_000 };

/** What a store must do after it was restored to an earlier state. Each test has a store of its own, because a restore concerns all accounts. */
export function describeRestores(name: string, open: OpenStore): void {
  describe(`${name}, after a restore to an earlier state,`, () => {
    let opened: StoreUnderTest;
    let store: PaymentsStore;
    let account: string;
    let at: Date;

    beforeEach(async () => {
      at = new Date(Date.now() - 10 * MINUTE);
      opened = await open();
      store = opened.store;
      await store.init();
      account = newAccount();
      await store.accounts.noteStarts([account]);
    });
    afterEach(() => opened.close());

    const isPaused = async (of = account, kind?: string): Promise<boolean> =>
      (await store.traffic.hindrance(of, kind)).pause !== null;
    /** A sweep of the account has read everything before a time. @param now of the platform's clock */
    const sweptTo = async (watermark: Date, now = new Date()): Promise<void> => {
      await store.sweeps.progress(account, new Date(at.getTime() - MINUTE));
      await store.sweeps.claim(account, 'one', MINUTE);
      const swept = { watermark, recoveredAt: null, now };
      expect(await store.sweeps.save(account, 'one', swept)).toBe(true);
    };
    const resume = (what?: RestorePause, seen = inMinutes(60)): Promise<boolean> =>
      store.traffic.resume(account, 'peter', 'it is urgent', what && { what, seen });
    const recordedAs = (kind: 'payment' | 'payout'): Promise<unknown> => {
      const operation = kind === 'payment' ? aPayment(account) : aPayout(account);
      return record(store, operation, MINUTE);
    };
    const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * MINUTE);

    it('holds operations that are created for sent, and no others', async () => {
      const created = await recorded(store, aPayment(account));
      const failed = await recorded(store, aPayment(account));
      await changed(store, failed, { state: 'failed', reason: 'not_sent' });
      expect(await store.restores.begin(at, 'jane')).toEqual({
        accounts: 1,
        operations: 1,
        begunAt: expect.any(Date),
      });
      expect(await store.operations.find(account, created.id)).toMatchObject({
        state: 'unknown',
        sentAt: created.createdAt,
        version: created.version + 1,
      });
      expect((await store.operations.find(account, failed.id))?.state).toBe('failed');
      const history = await store.operations.history(account, created.id);
      expect(history.map(({ what, detail }) => `${what}: ${detail}`)).toEqual([
        'state: created to unknown',
        `note: the database was restored to ${at.toISOString()}`,
      ]);
      const claim = { followed: false, limit: 9, leaseMs: MINUTE, sendLeaseMs: MINUTE };
      const due = await store.operations.claimDue([account], claim);
      expect(due.map(({ id }) => id)).toEqual([created.id]);
    });

    it('sends nothing until the lost time and fifteen minutes more were swept', async () => {
      await sweptTo(new Date());
      await store.restores.begin(at, 'jane');
      const progress = await store.sweeps.progress(account, new Date());
      expect(progress.watermark).toEqual(at);
      expect((await store.traffic.hindrance(account)).pause).toMatchObject({
        account,
        by: 'jane',
        note: `the database was restored to ${at.toISOString()}`,
      });
      await sweptTo(inMinutes(14));
      expect(await isPaused()).toBe(true);
      await sweptTo(inMinutes(16));
      expect(await isPaused()).toBe(false);
      const [last] = await store.traffic.pauseHistory(account, 1);
      expect(last).toMatchObject({ what: 'resumed', by: 'jane', note: 'the lost time was swept' });
    });

    it('leaves the pause of a person as it is', async () => {
      await store.traffic.pause(account, 'peter', 'the till moved');
      await store.restores.begin(at, 'jane');
      await sweptTo(inMinutes(16));
      expect((await store.traffic.hindrance(account)).pause).toMatchObject({ by: 'peter' });
      await resume();
      expect(await isPaused()).toBe(false);
    });

    it('does not end a pause that a person began after the end of its own', async () => {
      await store.restores.begin(at, 'jane');
      await resume('everything');
      await store.traffic.pause(account, 'peter', 'it was wrong');
      await sweptTo(inMinutes(16));
      expect((await store.traffic.hindrance(account)).pause).toMatchObject({ by: 'peter' });
    });

    it('stays paused when a person ends a pause of his own', async () => {
      await store.traffic.pause(account, 'peter', 'the till moved');
      await store.restores.begin(at, 'jane');
      expect(await resume()).toBe(true);
      expect((await store.traffic.hindrance(account)).pause).toMatchObject({ by: 'jane' });
      expect(await recordedAs('payment')).toMatchObject({ kind: 'paused', pause: { by: 'jane' } });
    });

    it('shows what is paused as its pauses', async () => {
      await store.restores.begin(at, 'jane');
      const pause = { account, by: 'jane', at: expect.any(Date) };
      expect(await store.traffic.pauses()).toMatchObject([{ ...pause, restore: 'everything' }]);
      await sweptTo(inMinutes(16));
      expect(await store.traffic.pauses()).toMatchObject([{ ...pause, restore: 'money-out' }]);
    });

    it('names the oldest of what pauses everything, before what pauses payouts, when there are several', async () => {
      const { begunAt: seen } = await store.restores.begin(at, 'jane');
      await opened.advance(MINUTE);
      await store.restores.begin(at, 'kate');
      const pausing = async (): Promise<unknown> =>
        (await store.traffic.hindrance(account, 'payout')).pause;
      expect(await pausing()).toMatchObject({ by: 'jane', restore: 'everything' });
      await resume('everything', seen);
      expect(await pausing()).toMatchObject({ by: 'kate', restore: 'everything' });
      await resume('everything');
      expect(await pausing()).toMatchObject({ by: 'jane', restore: 'money-out' });
    });

    it('lists the pause of all accounts first, then what pauses everything of an account', async () => {
      await store.restores.begin(at, 'jane');
      await sweptTo(inMinutes(16));
      await store.traffic.pause(account, 'peter', 'the till moved');
      await store.traffic.pause(null, 'peter', 'the database moves');
      expect(await store.traffic.pauses()).toMatchObject([
        { account: null, by: 'peter', restore: null },
        { account, by: 'peter', restore: null },
        { account, by: 'jane', restore: 'money-out' },
      ]);
    });

    it('sends no payout and no refund until a person resumes, because the platform lists none', async () => {
      await store.restores.begin(at, 'jane');
      await sweptTo(inMinutes(16));
      expect(await isPaused(account, 'payment')).toBe(false);
      for (const kind of ['payout', 'refund'])
        expect((await store.traffic.hindrance(account, kind)).pause).toMatchObject({
          restore: 'money-out',
        });
      expect(await recordedAs('payment')).toMatchObject({ kind: 'recorded' });
      expect(await recordedAs('payout')).toMatchObject({
        kind: 'paused',
        pause: { by: 'jane', restore: 'money-out' },
      });
      expect(await resume()).toBe(false);
      expect(await resume('everything')).toBe(false);
      expect(await resume('money-out')).toBe(true);
      expect(await recordedAs('payout')).toMatchObject({ kind: 'recorded' });
      expect(await resume('money-out')).toBe(false);
    });

    it('ends nothing but what a person names, and keeps that in the history', async () => {
      await store.restores.begin(at, 'jane');
      expect(await resume()).toBe(false);
      expect(await isPaused(account, 'payment')).toBe(true);
      expect(await resume('everything')).toBe(true);
      expect(await isPaused(account, 'payment')).toBe(false);
      expect(await isPaused(account, 'payout')).toBe(true);
      const [last] = await store.traffic.pauseHistory(account, 1);
      expect(last).toMatchObject({ what: 'resumed', account, by: 'peter', note: 'it is urgent' });
    });

    it('ends no pause of a later restore, which the person who decides has not seen', async () => {
      await store.restores.begin(at, 'jane');
      await opened.advance(MINUTE);
      const second = await store.restores.begin(at, 'kate');
      const [first, ...others] = await store.traffic.pauses();
      expect(others.map((pause) => pause.at)).toEqual([second.begunAt]);
      const seen = first?.at as Date;
      expect(await resume('everything', seen)).toBe(true);
      expect(await resume('everything', seen)).toBe(false);
      expect((await store.traffic.hindrance(account)).pause).toMatchObject({ by: 'kate' });
      await sweptTo(inMinutes(20));
      expect(await resume('money-out', seen)).toBe(true);
      expect(await isPaused(account, 'payout')).toBe(true);
      const all = { what: 'money-out', seen } as const;
      expect(await store.traffic.resume(null, 'peter', 'compared', all)).toBe(false);
      expect(await resume('money-out', second.begunAt)).toBe(true);
      expect(await isPaused(account, 'payout')).toBe(false);
    });

    it('has lost what came after the last sweep that it knows, because a later backup would know a later sweep', async () => {
      const lostMinutes = async (): Promise<number> => {
        const lost = await store.restores.find(account);
        return Math.round((lost.at(-1)?.fromAgoMs ?? 0) / MINUTE);
      };
      await sweptTo(inMinutes(-25));
      await store.restores.begin(at, 'jane');
      expect(await lostMinutes()).toBe(25);
      await store.restores.begin(inMinutes(-30), 'jane');
      expect(await lostMinutes()).toBe(30);
      // No sweep ran: it says nothing about the backup.
      await opened.advance(2 * DAY);
      await store.restores.begin(new Date(Date.now() + 2 * DAY - 10 * MINUTE), 'jane');
      expect(await lostMinutes()).toBeLessThanOrEqual(10);
    });

    it('reads again what it may have reversed in the lost time, up to a week before it', async () => {
      await store.sweeps.progress(account, inMinutes(-9 * 24 * 60));
      await store.sweeps.claim(account, 'one', MINUTE);
      const swept = { watermark: at, recoveredAt: at, now: new Date() };
      await store.sweeps.save(account, 'one', swept);
      await store.restores.begin(at, 'jane');
      const { recoveredAt } = await store.sweeps.progress(account, new Date());
      expect(recoveredAt).toEqual(new Date(at.getTime() - 5 * DAY));
    });

    it('reads everything since the start when reversals were never read before', async () => {
      await store.sweeps.progress(account, at);
      await store.restores.begin(at, 'jane');
      expect(await store.sweeps.progress(account, new Date())).toMatchObject({ recoveredAt: null });
    });

    it('plans a sweep as soon as it can end the pause, whatever the interval of sweeps is', async () => {
      const { plannedWork } = store;
      const claimed = (): Promise<readonly string[]> =>
        plannedWork.claim([account], 'sweep', 1, MINUTE);
      await plannedWork.plan([{ account, kind: 'sweep', inMs: DAY }]);
      await store.restores.begin(at, 'jane');
      expect(await claimed()).toEqual([account]);
      await plannedWork.replan(account, 'sweep', DAY);
      await opened.advance(14 * MINUTE);
      expect(await claimed()).toEqual([]);
      await opened.advance(2 * MINUTE);
      expect(await claimed()).toEqual([account]);
      // It had begun before the end of the lost time, or it failed: nothing is sent until the next one.
      await plannedWork.replan(account, 'sweep', DAY);
      expect(await claimed()).toEqual([]);
      await opened.advance(2 * MINUTE);
      expect(await claimed()).toEqual([account]);
      await sweptTo(inMinutes(30), inMinutes(30));
      await plannedWork.replan(account, 'sweep', DAY);
      await opened.advance(2 * MINUTE);
      expect(await claimed()).toEqual([]);
    });

    it('is not undone by a sweep that runs meanwhile', async () => {
      await store.sweeps.progress(account, inMinutes(-9 * 24 * 60));
      await store.sweeps.claim(account, 'one', MINUTE);
      const swept = { watermark: at, recoveredAt: at, now: new Date() };
      expect(await store.sweeps.save(account, 'one', swept)).toBe(true);
      await store.restores.begin(inMinutes(-60), 'jane');
      expect(await store.sweeps.save(account, 'one', swept)).toBe(false);
      const { watermark } = await store.sweeps.progress(account, new Date());
      expect(watermark.getTime()).toBeLessThan(at.getTime());
    });

    it('sends again for all accounts when a person resumes all', async () => {
      await store.restores.begin(at, 'jane');
      const resumeAll = (what?: RestorePause): Promise<boolean> =>
        store.traffic.resume(null, 'peter', 'compared', what && { what, seen: inMinutes(60) });
      expect(await resumeAll()).toBe(false);
      expect(await resumeAll('money-out')).toBe(true);
      expect(await isPaused(account, 'payment')).toBe(true);
      expect(await resumeAll('everything')).toBe(true);
      expect(await isPaused(account, 'payout')).toBe(false);
      expect(await resumeAll('everything')).toBe(false);
    });

    it('sends again when a correction of the time was swept as well', async () => {
      await store.restores.begin(at, 'jane');
      await store.restores.begin(new Date(at.getTime() - MINUTE), 'jane');
      await sweptTo(inMinutes(16));
      expect(await isPaused()).toBe(false);
    });

    it.each([-40, 40])(
      "reads the lost time by the platform's clock, which is %s minutes ahead of its own",
      async (minutes) => {
        const ahead = (date: Date): Date => new Date(date.getTime() + minutes * MINUTE);
        await store.restores.begin(at, 'jane');
        await sweptTo(ahead(inMinutes(14)), ahead(new Date()));
        expect(await isPaused()).toBe(true);
        await sweptTo(ahead(inMinutes(16)), ahead(new Date()));
        expect(await isPaused()).toBe(false);
      },
    );

    it('records nothing as requested at once, so that lost money is looked for before it is sent', async () => {
      const record = async (): Promise<unknown> => {
        const how = { sendBeforeMs: MINUTE, sending: SENDING };
        return store.operations.record(aPayment(account), how);
      };
      expect(await record()).toMatchObject({ operation: { state: 'requested' } });
      await store.restores.begin(at, 'jane');
      await sweptTo(inMinutes(16));
      expect(await record()).toMatchObject({ kind: 'recorded', operation: { state: 'created' } });
      await opened.advance(31 * DAY);
      expect(await record()).toMatchObject({ operation: { state: 'requested' } });
    });

    it('knows the lost time for thirty days', async () => {
      expect(await store.restores.find(account)).toEqual([]);
      await store.restores.begin(at, 'jane');
      const [lost] = await store.restores.find(account);
      expect(Math.round(lost!.fromAgoMs / MINUTE)).toBe(10);
      expect(Math.round(lost!.toAgoMs / MINUTE)).toBe(-15);
      await opened.advance(31 * DAY);
      expect(await store.restores.find(account)).toEqual([]);
    });

    it('has lost the time of both when it was restored twice', async () => {
      await store.restores.begin(at, 'jane');
      await sweptTo(inMinutes(16));
      await opened.advance(60 * MINUTE);
      await store.restores.begin(new Date(), 'jane');
      const lost = await store.restores.find(account);
      expect(lost.map(({ toAgoMs }) => Math.round(toAgoMs / MINUTE))).toEqual([45, -15]);
      expect(await isPaused()).toBe(true);
    });

    it('sends nothing for an account that is new for it either, until that was swept', async () => {
      await store.restores.begin(at, 'jane');
      const added = newAccount();
      await store.accounts.noteStarts([account, added]);
      expect(await isPaused(added)).toBe(true);
      expect((await store.sweeps.progress(added, new Date())).watermark).toEqual(at);
      await opened.advance(2 * DAY);
      const later = newAccount();
      await store.accounts.noteStarts([later]);
      expect(await isPaused(later)).toBe(false);
    });
  });
}
