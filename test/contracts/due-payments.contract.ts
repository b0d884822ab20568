import { describe, expect, it } from '@jest/globals';
import {
  aPayment,
  changed,
  newAccount,
  recorded,
  times,
  type StoreUnderTest,
} from './store-under-test.js';

export function describeDuePayments(current: () => StoreUnderTest): void {
  const claim = async (account: string, limit = 100, leaseMs = 60_000): Promise<string[]> =>
    (await current().store.claimDuePayments(account, limit, leaseMs)).map(({ id }) => id);

  describe('payments that are due', () => {
    it('are claimed when their time has come, most overdue first', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const later = await recorded(store, aPayment(account), 20_000);
      const sooner = await recorded(store, aPayment(account), 10_000);
      expect(await claim(account)).toEqual([]);
      await advance(10_000);
      expect(await claim(account)).toEqual([sooner.id]);
      await advance(10_000);
      expect(await claim(account)).toEqual([later.id]);
    });

    it('are each claimed by one claimer only', async () => {
      const { store } = current();
      const account = newAccount();
      await Promise.all(times(60, () => recorded(store, aPayment(account), 0)));
      const claimed = (await Promise.all(times(12, () => claim(account, 10)))).flat();
      const rest = await claim(account);
      expect(new Set([...claimed, ...rest]).size).toBe(60);
      expect(claimed.length + rest.length).toBe(60);
    });

    it('respect the limit, and other accounts', async () => {
      const { store } = current();
      const account = newAccount();
      await Promise.all(times(5, () => recorded(store, aPayment(account), 0)));
      expect(await claim(newAccount())).toEqual([]);
      expect(await claim(account, 3)).toHaveLength(3);
      expect(await claim(account, 3)).toHaveLength(2);
    });

    it('are due again when the lease of their claimer ran out', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const { id } = await recorded(store, aPayment(account), 0);
      expect(await claim(account, 1, 30_000)).toEqual([id]);
      expect(await claim(account)).toEqual([]);
      await advance(30_000);
      expect(await claim(account)).toEqual([id]);
    });

    it('are looked at next when they are scheduled to be', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const { id } = await recorded(store, aPayment(account), 0);
      await claim(account);
      await store.schedulePayment(account, id, { inMs: 5_000, checks: 4 });
      expect(await claim(account)).toEqual([]);
      await advance(5_000);
      const [payment] = await store.claimDuePayments(account, 1, 60_000);
      expect(payment).toMatchObject({ id, checks: 4, version: 1 });
      await store.schedulePayment(account, id, { inMs: 0 });
      expect(await store.claimDuePayments(account, 1, 60_000)).toMatchObject([{ id, checks: 4 }]);
    });

    it('are looked at next when a change says, and as before when it does not', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account), 10_000);
      const requested = await changed(store, payment, { state: 'requested' });
      await advance(10_000);
      expect(await claim(account)).toEqual([payment.id]);
      const pending = await changed(store, requested, { state: 'pending' }, { dueInMs: 20_000 });
      await advance(20_000);
      expect(await claim(account)).toEqual([payment.id]);
      await changed(store, pending, { checks: 1 }, { dueInMs: null });
      await advance(10_000_000);
      expect(await claim(account)).toEqual([]);
    });

    it.each(['succeeded', 'failed'] as const)('are never due once they have %s', async (state) => {
      const { store, advance } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account), 0);
      await changed(store, payment, { state }, { dueInMs: 0 });
      await store.schedulePayment(account, payment.id, { inMs: 0 });
      await advance(1_000);
      expect(await claim(account)).toEqual([]);
    });

    it('may still be due while a person looks at them', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account), 0);
      const pending = await changed(store, payment, { state: 'pending' });
      await changed(
        store,
        pending,
        { state: 'needs_review', cause: 'no_evidence' },
        { dueInMs: 1_000 },
      );
      await advance(1_000);
      expect(await claim(account)).toEqual([payment.id]);
    });
  });
}
