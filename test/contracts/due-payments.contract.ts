import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { OperationRecord } from '@tillkit/payments/internal/store';
import {
  aPayment,
  changed,
  newAccount,
  recorded,
  times,
  type StoreUnderTest,
} from './store-under-test.js';

const DUE_AT_ONCE = { inBackground: true };

export function describeDuePayments(current: () => StoreUnderTest): void {
  const claimed = (
    account: string,
    { limit = 100, leaseMs = 600_000, sendLeaseMs = 200_000, followed = false } = {},
  ): Promise<OperationRecord[]> =>
    current().store.operations.claimDue([account], { followed, limit, leaseMs, sendLeaseMs });
  const claim = async (account: string, input?: Parameters<typeof claimed>[1]): Promise<string[]> =>
    (await claimed(account, input)).map(({ id }) => id);
  const pending = async (account: string, dueInMs = 0): Promise<OperationRecord> =>
    changed(
      current().store,
      await recorded(current().store, aPayment(account)),
      {
        state: 'pending',
      },
      { dueInMs },
    );

  describe('payments that are due', () => {
    it('include background payments at once, and payments of request() when they can no longer be sent', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const mine = await recorded(store, aPayment(account), 100_000);
      const background = await recorded(store, aPayment(account, DUE_AT_ONCE), 100_000);
      expect(await claim(account)).toEqual([background.id]);
      await advance(100_000);
      expect(await claim(account, { limit: 1 })).toEqual([mine.id]);
    });

    it('say when they are due next, to be sent or read', async () => {
      const { store } = current();
      const account = newAccount();
      const { id, createdAt } = await recorded(store, aPayment(account), 100_000);
      const dueAt = await store.operations.dueAt(account, id);
      expect(dueAt?.getTime()).toBe(createdAt.getTime() + 100_000);
      await store.operations.schedule({ account, id, version: 1 }, { inMs: null });
      expect(await store.operations.dueAt(account, id)).toBeNull();
      expect(await store.operations.dueAt(account, randomUUID())).toBeNull();
    });

    it('are claimed when their time has come, most overdue first', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const later = await recorded(store, aPayment(account), 200_000);
      const sooner = await recorded(store, aPayment(account), 100_000);
      expect(await claim(account)).toEqual([]);
      await advance(100_000);
      expect(await claim(account)).toEqual([sooner.id]);
      await advance(100_000);
      expect(await claim(account, { limit: 1 })).toEqual([later.id]);
    });

    it('are due again after a claim during which they were made due', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await pending(account);
      const [looked] = await claimed(account);
      await store.operations.makeDue(account, [payment.id], {
        cause: 'money R1',
        againAfterMs: 1_000,
      });
      expect(await claim(account)).toEqual([]);
      await store.operations.schedule(looked as OperationRecord, { inMs: 3_600_000 });
      expect(await claim(account)).toEqual([payment.id]);
      await store.operations.schedule(looked as OperationRecord, { inMs: 3_600_000 });
      expect(await claim(account)).toEqual([]);
    });

    it('are each claimed by one of many concurrent claims', async () => {
      const { store } = current();
      const account = newAccount();
      await Promise.all(times(60, () => recorded(store, aPayment(account, DUE_AT_ONCE))));
      const all = (await Promise.all(times(12, () => claim(account, { limit: 10 })))).flat();
      const rest = await claim(account);
      expect(new Set([...all, ...rest]).size).toBe(60);
      expect(all.length + rest.length).toBe(60);
    });

    it('are claimed up to the limit, and only for the named accounts', async () => {
      const { store } = current();
      const account = newAccount();
      await Promise.all(times(5, () => recorded(store, aPayment(account, DUE_AT_ONCE))));
      expect(await claim(newAccount())).toEqual([]);
      expect(await claim(account, { limit: 3 })).toHaveLength(3);
      expect(await claim(account, { limit: 3 })).toHaveLength(2);
    });

    it('are due again when the lease of their claim has expired', async () => {
      const { advance } = current();
      const account = newAccount();
      const { id } = await pending(account);
      expect(await claim(account, { leaseMs: 300_000 })).toEqual([id]);
      expect(await claim(account)).toEqual([]);
      await advance(300_000);
      expect(await claim(account)).toEqual([id]);
    });

    it('have a shorter lease while they are created and not sent', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const sent = await pending(account);
      const created = await recorded(store, aPayment(account, DUE_AT_ONCE));
      const leases = { leaseMs: 600_000, sendLeaseMs: 150_000 };
      expect((await claim(account, leases)).toSorted()).toEqual([sent.id, created.id].toSorted());
      await advance(150_000);
      expect(await claim(account, leases)).toEqual([created.id]);
      await advance(450_000);
      expect((await claim(account, leases)).toSorted()).toEqual([sent.id, created.id].toSorted());
    });

    it('are claimed again at the time for which they are scheduled', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const payment = await pending(account);
      const { id } = payment;
      await claim(account);
      await store.operations.schedule(payment, { inMs: 50_000, checks: 4 });
      expect(await claim(account)).toEqual([]);
      await advance(50_000);
      const [found] = await claimed(account);
      expect(found).toMatchObject({ id, checks: 4, version: payment.version });
      expect(found?.updatedAt.getTime()).toBeLessThanOrEqual(payment.updatedAt.getTime());
      await store.operations.schedule(payment, { inMs: 0 });
      expect(await claimed(account)).toMatchObject([{ id, checks: 4 }]);
      await store.operations.schedule(payment, { inMs: null });
      await advance(1_000_000_000);
      expect(await claim(account)).toEqual([]);
    });

    it('are not scheduled by a process that read an older version', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await pending(account);
      await changed(store, payment, { emptySuccesses: 1 }, { dueInMs: 0 });
      await store.operations.schedule(payment, { inMs: null, checks: 9 });
      expect(await claimed(account)).toMatchObject([{ id: payment.id, checks: 0 }]);
    });

    it('are due at the time that a change sets, and at the same time as before when it sets none', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account), 100_000);
      const requested = await changed(store, payment, { state: 'requested' });
      await advance(100_000);
      expect(await claim(account)).toEqual([payment.id]);
      const open = await changed(store, requested, { state: 'pending' }, { dueInMs: 200_000 });
      await advance(200_000);
      expect(await claim(account)).toEqual([payment.id]);
      await changed(store, open, { checks: 1 }, { dueInMs: null });
      await advance(10_000_000);
      expect(await claim(account)).toEqual([]);
    });

    it.each(['succeeded', 'reversed'] as const)('are never due once they are %s', async (state) => {
      const { store, advance } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account, DUE_AT_ONCE));
      const ended = await changed(store, payment, { state }, { dueInMs: 0 });
      await store.operations.schedule(ended, { inMs: 0 });
      await store.operations.makeDue(account, [payment.id], { cause: 'money', againAfterMs: 0 });
      await advance(1_000);
      expect(await claim(account)).toEqual([]);
      expect(await claim(account, { followed: true })).toEqual([]);
    });
  });

  describe.each([
    ['not settled', false, 'pending'],
    ['followed', true, 'failed'],
  ] as const)('payments of several accounts that are %s and due', (_, followed, state) => {
    const due = async (
      account: string,
      dueInMs = 0,
      id: string = randomUUID(),
    ): Promise<string> => {
      const payment = await recorded(current().store, aPayment(account, { id }));
      await changed(current().store, payment, { state }, { dueInMs });
      return id;
    };
    const claimOf = async (accounts: readonly string[], limit = 100): Promise<string[]> => {
      const leases = { leaseMs: 600_000, sendLeaseMs: 200_000 };
      const { operations } = current().store;
      return (await operations.claimDue(accounts, { followed, limit, ...leases })).map(
        ({ account, id }) => `${account} ${id}`,
      );
    };

    it('are claimed in the order in which they became due, across accounts', async () => {
      const { advance } = current();
      const [one, other] = [newAccount(), newAccount()];
      const ids: string[] = [];
      for (const account of [one, other, other, one, other]) {
        ids.push(`${account} ${await due(account)}`);
        await advance(1_000);
      }
      expect(await claimOf([other, one], 3)).toEqual(ids.slice(0, 3));
      expect(await claimOf([other, one], 3)).toEqual(ids.slice(3));
    });

    it('are claimed only for the accounts that the claim names, even if others have been due longer', async () => {
      const { advance } = current();
      const [named, other] = [newAccount(), newAccount()];
      const hidden = `${other} ${await due(other)}`;
      await advance(1_000);
      const id = `${named} ${await due(named)}`;
      expect(await claimOf([named, newAccount()], 1)).toEqual([id]);
      expect(await claimOf([named, newAccount()])).toEqual([]);
      expect(await claimOf([])).toEqual([]);
      expect(await claimOf([other])).toEqual([hidden]);
    });

    it('are claimed without payments of the same id in another account that are not due', async () => {
      const { advance } = current();
      const [one, other] = [newAccount(), newAccount()];
      const id = await due(one);
      await due(other, 100_000, id);
      expect(await claimOf([one, other])).toEqual([`${one} ${id}`]);
      await advance(100_000);
      expect(await claimOf([one, other])).toEqual([`${other} ${id}`]);
    });
  });

  describe.each(['needs_review', 'failed'] as const)(
    'a payment in the state %s that is followed',
    (state) => {
      it('is due at the time that the change sets, and only for claims of settled payments', async () => {
        const { store, advance } = current();
        const account = newAccount();
        const open = await pending(account);
        const followed = await changed(store, open, { state }, { dueInMs: 100_000 });
        expect(await claim(account, { followed: true })).toEqual([]);
        await advance(100_000);
        expect(await claim(account)).toEqual([]);
        expect(await claim(account, { followed: true, leaseMs: 300_000 })).toEqual([open.id]);
        expect(await claim(account, { followed: true })).toEqual([]);
        await advance(300_000);
        expect(await claim(account, { followed: true })).toEqual([open.id]);
        await store.operations.schedule(followed, { inMs: 50_000 });
        await advance(50_000);
        expect(await claim(account, { followed: true })).toEqual([open.id]);
        await changed(store, followed, { checks: 7 }, { dueInMs: null });
        await advance(1_000_000_000);
        expect(await claim(account, { followed: true })).toEqual([]);
      });

      it('is not claimed by claims of payments that are not settled', async () => {
        const { store } = current();
        const account = newAccount();
        for (const _ of times(5, () => 0)) {
          await changed(store, await pending(account), { state }, { dueInMs: 0 });
        }
        const open = await pending(account);
        expect(await claim(account, { limit: 5 })).toEqual([open.id]);
        expect(await claim(account, { limit: 2, followed: true })).toHaveLength(2);
      });
    },
  );
}
