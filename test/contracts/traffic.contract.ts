import { describe, expect, it } from '@jest/globals';
import type { ReservedTurns, WantedTurns } from '@tillkit/payments/store';
import {
  aPayment,
  changed,
  newAccount,
  recorded,
  times,
  type StoreUnderTest,
} from './store-under-test.js';

/** Of an account whose requests may be sent. */
const NOTHING = { pause: null, closedForMs: { creates: 0, others: 0 } };

export function describeTraffic(current: () => StoreUnderTest): void {
  const pause = (account: string | null, by = 'jane', note = 'the till moved'): Promise<boolean> =>
    current().store.traffic.pause(account, by, note);
  const resume = (account: string | null, by = 'peter', note = 'it is back'): Promise<boolean> =>
    current().store.traffic.resume(account, by, note);

  describe('a pause of sending', () => {
    it('refuses to record for its account, with who and why, and for no other', async () => {
      const { store } = current();
      const [paused, other] = [newAccount(), newAccount()];
      expect(await pause(paused)).toBe(true);
      expect(
        await store.operations.record(aPayment(paused), { sendBeforeMs: 60_000 }),
      ).toMatchObject({
        kind: 'paused',
        pause: { account: paused, by: 'jane', note: 'the till moved', at: expect.any(Date) },
      });
      expect((await recorded(store, aPayment(other))).state).toBe('created');
      expect(await store.traffic.hindrance(other)).toEqual(NOTHING);
    });

    it('returns what was recorded for the key before', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = aPayment(account);
      await recorded(store, payment);
      await pause(account);
      expect(await store.operations.record(payment, { sendBeforeMs: 60_000 })).toMatchObject({
        kind: 'existing',
        operation: { id: payment.id },
      });
    });

    it('lets nothing be marked as requested that was recorded before it', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account));
      const requested = { state: 'requested', sender: 'one' } as const;
      await pause(account);
      await expect(changed(store, payment, requested)).rejects.toThrow('refused');
      await resume(account);
      expect((await changed(store, payment, requested)).id).toBe(payment.id);
    });

    it('lets what was sent before it be settled', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account));
      const { id } = await changed(store, payment, { state: 'requested', sender: 'one' });
      await pause(account);
      const sent = await store.operations.find(account, id);
      expect((await changed(store, sent!, { state: 'pending', platformId: id })).id).toBe(sent?.id);
    });

    it('of all accounts holds for each of them, and ends on its own', async () => {
      const { store } = current();
      const account = newAccount();
      expect(await pause(null, 'jane', 'a restore')).toBe(true);
      try {
        expect(await store.traffic.hindrance(account)).toMatchObject({
          pause: { account: null, by: 'jane' },
        });
        const refused = await store.operations.record(aPayment(account), { sendBeforeMs: 60_000 });
        expect(refused).toMatchObject({ kind: 'paused', pause: { account: null } });
        await pause(account);
        expect(await store.traffic.hindrance(account)).toMatchObject({ pause: { account } });
        expect(await store.traffic.pauses()).toEqual(
          expect.arrayContaining([
            expect.objectContaining({ account: null }),
            expect.objectContaining({ account }),
          ]),
        );
      } finally {
        await resume(null);
      }
      expect(await store.traffic.hindrance(account)).toMatchObject({ pause: { account } });
    });

    it('is made by one of many people at once, and ended by one', async () => {
      const account = newAccount();
      const made = await Promise.all(times(5, () => pause(account)));
      expect(made.filter(Boolean)).toHaveLength(1);
      const ended = await Promise.all(times(5, () => resume(account)));
      expect(ended.filter(Boolean)).toHaveLength(1);
      const history = await current().store.traffic.pauseHistory(account, 100);
      expect(history.filter((entry) => entry.account === account)).toHaveLength(2);
    });

    it('stays in the history, newest first, with who and why', async () => {
      const account = newAccount();
      await pause(account);
      await resume(account);
      const history = await current().store.traffic.pauseHistory(account, 2);
      expect(history).toMatchObject([
        { account, what: 'resumed', by: 'peter', note: 'it is back' },
        { account, what: 'paused', by: 'jane', note: 'the till moved' },
      ]);
      expect(await current().store.traffic.pauseHistory(account, 1)).toHaveLength(1);
    });
  });

  describe('turns of background requests', () => {
    const wanted = (changes: Partial<WantedTurns> = {}): WantedTurns => ({
      kind: 'overdue',
      count: 1,
      gapMs: 10_000,
      kindGapMs: 10_000,
      withinMs: 1_000_000,
      ...changes,
    });
    const reserve = (account: string, changes?: Partial<WantedTurns>): Promise<ReservedTurns> =>
      current().store.traffic.reserve(account, wanted(changes));
    const expectIn = async (turns: Promise<ReservedTurns>, ms: number): Promise<void> => {
      const { inMs } = await turns;
      expect(inMs).toBeGreaterThan(ms - 5_000);
      expect(inMs).toBeLessThanOrEqual(ms);
    };

    it('are given to one of several processes that ask at once', async () => {
      const account = newAccount();
      const turns = await Promise.all(times(4, () => reserve(account)));
      expect(turns.map(({ count }) => count).toSorted((a, b) => b - a)).toEqual([1, 0, 0, 0]);
      await expectIn(reserve(account), 10_000);
    });

    it('are reserved together, and leave their share to other kinds', async () => {
      const account = newAccount();
      const sweeps = { kind: 'sweep', count: 3, kindGapMs: 20_000 };
      expect(await reserve(account, sweeps)).toMatchObject({ count: 3, inMs: 0 });
      await expectIn(reserve(account), 30_000);
      await expectIn(reserve(account, sweeps), 60_000);
    });

    it('are reserved at most 100 ms before', async () => {
      const account = newAccount();
      await reserve(account, { gapMs: 90, kindGapMs: 90 });
      expect((await reserve(account, { gapMs: 10_000, kindGapMs: 10_000 })).count).toBe(1);
      expect((await reserve(account)).count).toBe(0);
    });

    it('may be asked for again, unless the first is too far away', async () => {
      const account = newAccount();
      await reserve(account, { count: 5 });
      expect(await reserve(account)).toMatchObject({ count: 0, mayAskAgain: true });
      const impatient = { withinMs: 20_000 };
      expect(await reserve(account, impatient)).toMatchObject({ count: 0, mayAskAgain: false });
    });

    it('of one account take none of another', async () => {
      await reserve(newAccount(), { count: 100 });
      expect(await reserve(newAccount())).toMatchObject({ count: 1, inMs: 0 });
    });

    it('are free again when time has passed', async () => {
      const account = newAccount();
      await reserve(account, { count: 10 });
      await current().advance(100_001);
      expect(await reserve(account)).toMatchObject({ count: 1, inMs: 0 });
    });

    it('are not reserved while the platform wants no such requests', async () => {
      const { store, advance } = current();
      const account = newAccount();
      await store.traffic.close(account, 'others', 60_000);
      await store.traffic.close(account, 'others', 1_000);
      const { count, inMs } = await reserve(account);
      expect(count).toBe(0);
      const { closedForMs } = await store.traffic.hindrance(account);
      expect(closedForMs).toEqual({ creates: 0, others: expect.any(Number) });
      expect(closedForMs.others).toBeGreaterThan(50_000);
      expect(inMs).toBeGreaterThan(50_000);
      expect(await reserve(newAccount())).toMatchObject({ count: 1, inMs: 0 });
      await advance(60_001);
      expect((await reserve(account)).count).toBe(1);
    });
  });

  describe('a wait that the platform asked for', () => {
    it('lets operations be recorded, and be sent only afterwards', async () => {
      const { store, advance } = current();
      const account = newAccount();
      await store.traffic.close(account, 'creates', 30_000);
      const input = aPayment(account);
      const result = await store.operations.record(input, { sendBeforeMs: 60_000 });
      expect(result).toMatchObject({
        kind: 'recorded',
        operation: { state: 'created', sender: null, sentAt: null },
      });
      const stored = await store.operations.find(account, input.id);
      expect(stored).toMatchObject({ state: 'created', sender: null, sentAt: null });
      const requested = { state: 'requested', sender: 'one' } as const;
      await expect(changed(store, stored!, requested)).rejects.toThrow('refused');
      await advance(30_001);
      expect((await changed(store, stored!, requested)).id).toBe(stored?.id);
    });

    it('holds for no other account, and not for background requests', async () => {
      const { store } = current();
      const [asked, other] = [newAccount(), newAccount()];
      await store.traffic.close(asked, 'creates', 30_000);
      const hindrance = await store.traffic.hindrance(asked);
      expect(hindrance).toMatchObject({ pause: null });
      expect(hindrance.closedForMs.creates).toBeGreaterThan(20_000);
      expect(hindrance.closedForMs.others).toBe(0);
      expect(await store.traffic.hindrance(other)).toEqual(NOTHING);
      const payment = await recorded(store, aPayment(other));
      const requested = { state: 'requested', sender: 'one' } as const;
      expect((await changed(store, payment, requested)).id).toBe(payment.id);
      const turns = { kind: 'overdue', count: 1, gapMs: 1, kindGapMs: 1, withinMs: 10 };
      expect((await store.traffic.reserve(asked, turns)).count).toBe(1);
    });
  });
}
