import { describe, expect, it } from '@jest/globals';
import type { PlannedKind } from '@tillkit/payments/internal/store';
import { newAccount, times, type StoreUnderTest } from './store-under-test.js';

const LEASE_MS = 60_000;

export function describePlannedWork(current: () => StoreUnderTest): void {
  const plan = (account: string, inMs: number, kind: PlannedKind = 'sweep'): Promise<void> =>
    current().store.plannedWork.plan([{ account, kind, inMs }]);
  const claim = (
    accounts: readonly string[],
    kind: PlannedKind = 'sweep',
    limit = 100,
  ): Promise<string[]> => current().store.plannedWork.claim(accounts, kind, limit, LEASE_MS);

  describe('planned work', () => {
    it('is claimed when it is due, and not before', async () => {
      const account = newAccount();
      await plan(account, 30_000);
      expect(await claim([account])).toEqual([]);
      await current().advance(30_001);
      expect(await claim([account])).toEqual([account]);
    });

    it('is claimed by one of many processes at once', async () => {
      const account = newAccount();
      await plan(account, 0);
      const claims = await Promise.all(times(8, () => claim([account])));
      expect(claims.flat()).toEqual([account]);
    });

    it('is due again when a lease ends and nobody has planned the next time', async () => {
      const account = newAccount();
      await plan(account, 0);
      await claim([account]);
      expect(await claim([account])).toEqual([]);
      await current().advance(LEASE_MS + 1);
      expect(await claim([account])).toEqual([account]);
    });

    it('is due next when it was planned to be after a run, also earlier than its lease', async () => {
      const account = newAccount();
      await plan(account, 0);
      await claim([account]);
      await current().store.plannedWork.replan(account, 'sweep', 10_000);
      await current().advance(10_001);
      expect(await claim([account])).toEqual([account]);
    });

    it('is not due any more when it was cancelled, until it is planned again', async () => {
      const [account, other] = [newAccount(), newAccount()];
      for (const name of [account, other]) await plan(name, 0);
      await plan(account, 0, 'retention');
      await current().store.plannedWork.cancel([account], 'sweep');
      expect(await claim([account, other])).toEqual([other]);
      expect(await claim([account], 'retention')).toEqual([account]);
      await plan(account, 0);
      expect(await claim([account])).toEqual([account]);
    });

    it('is planned no later by a process that starts, and may be planned earlier', async () => {
      const account = newAccount();
      await plan(account, 30_000);
      await plan(account, 90_000);
      await current().advance(30_001);
      expect(await claim([account])).toEqual([account]);
      await current().store.plannedWork.replan(account, 'sweep', 900_000);
      await plan(account, 0);
      expect(await claim([account])).toEqual([account]);
    });

    it('is kept for each kind and each account on its own', async () => {
      const [one, other] = [newAccount(), newAccount()];
      await plan(one, 0);
      await plan(other, 0, 'retention');
      expect(await claim([other, one])).toEqual([one]);
      expect(await claim([other, one], 'retention')).toEqual([other]);
    });

    it('is claimed up to a limit, that which has been due longest first', async () => {
      const [one, other] = [newAccount(), newAccount()];
      await plan(one, 0);
      await current().advance(1_000);
      await plan(other, 0);
      expect(await claim([other, one], 'sweep', 1)).toEqual([one]);
      expect(await claim([other, one], 'sweep', 1)).toEqual([other]);
    });
  });
}
