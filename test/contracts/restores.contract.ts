import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PaymentsStore } from '@tillkit/payments/store';
import {
  aPayment,
  changed,
  newAccount,
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
    const at = new Date(Date.now() - 10 * MINUTE);

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
      await store.init();
      account = newAccount();
      await store.accounts.noteStarts([account]);
    }, 60_000);
    afterEach(() => opened.close());

    const isPaused = async (of = account): Promise<boolean> =>
      (await store.traffic.hindrance(of)).pause !== null;
    /** A sweep of the account has read everything before a time. */
    const sweptTo = async (watermark: Date): Promise<void> => {
      await store.sweeps.progress(account, new Date(at.getTime() - MINUTE));
      await store.sweeps.claim(account, 'one', MINUTE);
      expect(await store.sweeps.save(account, 'one', { watermark, recoveredAt: null })).toBe(true);
    };
    const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * MINUTE);

    it('holds operations that are created for sent, and no others', async () => {
      const created = await recorded(store, aPayment(account));
      const failed = await recorded(store, aPayment(account));
      await changed(store, failed, { state: 'failed', reason: 'not_sent' });
      expect(await store.restores.begin(at, 'jane')).toEqual({ accounts: 1, operations: 1 });
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
    });

    it('does not end a pause that a person began after the end of its own', async () => {
      await store.restores.begin(at, 'jane');
      await store.traffic.resume(account, 'peter', 'it is urgent');
      await store.traffic.pause(account, 'peter', 'it was wrong');
      await sweptTo(inMinutes(16));
      expect((await store.traffic.hindrance(account)).pause).toMatchObject({ by: 'peter' });
    });

    it('keeps an account with payouts paused, because the platform lists none', async () => {
      const payout = { ...aPayment(account), kind: 'payout', transfers: [], recipients: [] };
      await store.operations.record(payout as never, { sendBeforeMs: MINUTE });
      await store.restores.begin(at, 'jane');
      await sweptTo(inMinutes(16));
      expect(await isPaused()).toBe(true);
      expect(await store.traffic.resume(account, 'jane', 'compared with the portal')).toBe(true);
    });

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
      expect(await store.restores.find(account)).toBeNull();
      await store.restores.begin(at, 'jane');
      const lost = await store.restores.find(account);
      expect(lost?.from).toEqual(at);
      expect(lost!.to.getTime() - Date.now()).toBeGreaterThan(14 * MINUTE);
      await opened.advance(31 * DAY);
      expect(await store.restores.find(account)).toBeNull();
    });

    it('has lost the time of both when it was restored twice', async () => {
      await store.restores.begin(at, 'jane');
      await sweptTo(inMinutes(16));
      await store.restores.begin(new Date(), 'jane');
      expect((await store.restores.find(account))?.from).toEqual(at);
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
