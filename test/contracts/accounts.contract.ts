import { describe, expect, it } from '@jest/globals';
import type { AccountClaim } from '@tillkit/payments/store';
import { newAccount, times, type StoreUnderTest } from './store-under-test.js';

const HOUR = 3_600_000;

export function describeAccounts(current: () => StoreUnderTest): void {
  const claim = async (
    account: string,
    tills: readonly string[],
    keyHashes: readonly string[] = [],
    listsTills = true,
  ): Promise<readonly unknown[]> =>
    current().store.accounts.claim([{ account, tills, keyHashes, listsTills }], HOUR);

  describe('the tills that an account claims', () => {
    it('are refused to another account, which then claims nothing', async () => {
      const [one, two, three] = [newAccount(), newAccount(), newAccount()];
      const [till, other] = [newAccount(), newAccount()];
      expect(await claim(one, [till])).toEqual([]);
      expect(await claim(two, [other, till])).toEqual([
        { kind: 'till', account: two, other: one, till },
      ]);
      expect(await claim(three, [other])).toEqual([]);
    });

    it('stay claimed when another replica of the account does not name them yet', async () => {
      const [one, two] = [newAccount(), newAccount()];
      const [till, added] = [newAccount(), newAccount()];
      expect(await claim(one, [till, added])).toEqual([]);
      expect(await claim(one, [till])).toEqual([]);
      expect(await claim(two, [added])).toEqual([
        { kind: 'till', account: two, other: one, till: added },
      ]);
      await current().advance(HOUR);
      expect(await claim(one, [till])).toEqual([]);
      expect(await claim(two, [added])).toEqual([]);
    });

    it('are free when the claim was not repeated in time', async () => {
      const [one, two, till] = [newAccount(), newAccount(), newAccount()];
      expect(await claim(one, [till])).toEqual([]);
      await current().advance(HOUR);
      expect(await claim(two, [till])).toEqual([]);
      expect(await claim(one, [till])).toEqual([{ kind: 'till', account: one, other: two, till }]);
    });

    it('go to one of many accounts that claim them at the same moment', async () => {
      const till = newAccount();
      const results = await Promise.all(times(10, () => claim(newAccount(), [till])));
      expect(results.filter((conflicts) => conflicts.length === 0)).toHaveLength(1);
    });

    it('may move between accounts that claim at once, and belong to one of them', async () => {
      const { accounts } = current().store;
      const [one, two] = [newAccount(), newAccount()].toSorted() as [string, string];
      const [till, other] = [newAccount(), newAccount()];
      const of = (account: string, ...tills: string[]): AccountClaim => ({
        account,
        tills,
        keyHashes: [],
        listsTills: true,
      });
      expect(await accounts.claim([of(one, till), of(two, other)], HOUR)).toEqual([]);
      expect(await accounts.claim([of(one, other), of(two, till)], HOUR)).toEqual([]);
      expect(await accounts.claim([of(one, till), of(two, till)], HOUR)).toEqual([
        { kind: 'till', account: two, other: one, till },
      ]);
    });
  });

  describe('an API key that two accounts share', () => {
    it.each([
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ])('is accepted only if both list their tills: %p and %p', async (first, second) => {
      const [one, two, key] = [newAccount(), newAccount(), newAccount()];
      expect(await claim(one, [newAccount()], [key], first)).toEqual([]);
      const silent = [...(second ? [] : [two]), ...(first ? [] : [one])];
      expect(await claim(two, [newAccount()], [key, `another of ${two}`], second)).toEqual(
        silent.map((name) => ({ kind: 'key', account: two, other: one, silent: name })),
      );
    });
  });
}
