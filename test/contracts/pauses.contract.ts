import { describe, expect, it } from '@jest/globals';
import {
  aPayment,
  changed,
  newAccount,
  recorded,
  times,
  type StoreUnderTest,
} from './store-under-test.js';

export function describePauses(current: () => StoreUnderTest): void {
  const pause = (account: string | null, by = 'jane', note = 'the till moved'): Promise<boolean> =>
    current().store.pauses.pause(account, by, note);
  const resume = (account: string | null, by = 'peter', note = 'it is back'): Promise<boolean> =>
    current().store.pauses.resume(account, by, note);

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
      const marked = {
        sendBeforeMs: 60_000,
        mark: { sender: 'one', sentAt: new Date() },
      };
      expect((await store.operations.record(aPayment(paused), marked)).kind).toBe('paused');
      expect((await recorded(store, aPayment(other))).state).toBe('created');
      expect(await store.pauses.current(other)).toBeNull();
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
        expect(await store.pauses.current(account)).toMatchObject({ account: null, by: 'jane' });
        const refused = await store.operations.record(aPayment(account), { sendBeforeMs: 60_000 });
        expect(refused).toMatchObject({ kind: 'paused', pause: { account: null } });
        await pause(account);
        expect(await store.pauses.current(account)).toMatchObject({ account });
        expect(await store.pauses.all()).toEqual(
          expect.arrayContaining([
            expect.objectContaining({ account: null }),
            expect.objectContaining({ account }),
          ]),
        );
      } finally {
        await resume(null);
      }
      expect(await store.pauses.current(account)).toMatchObject({ account });
    });

    it('is made by one of many people at once, and ended by one', async () => {
      const account = newAccount();
      const made = await Promise.all(times(5, () => pause(account)));
      expect(made.filter(Boolean)).toHaveLength(1);
      const ended = await Promise.all(times(5, () => resume(account)));
      expect(ended.filter(Boolean)).toHaveLength(1);
      const history = await current().store.pauses.history(account, 100);
      expect(history.filter((entry) => entry.account === account)).toHaveLength(2);
    });

    it('stays in the history, newest first, with who and why', async () => {
      const account = newAccount();
      await pause(account);
      await resume(account);
      const history = await current().store.pauses.history(account, 2);
      expect(history).toMatchObject([
        { account, what: 'resumed', by: 'peter', note: 'it is back' },
        { account, what: 'paused', by: 'jane', note: 'the till moved' },
      ]);
      expect(await current().store.pauses.history(account, 1)).toHaveLength(1);
    });
  });
}
