import { describe, expect, it } from '@jest/globals';
import { newAccount, times, type StoreUnderTest } from './store-under-test.js';

const HOUR = 3_600_000;

export function describeAccounts(current: () => StoreUnderTest): void {
  const claim = async (
    account: string,
    tills: readonly string[],
    keyHashes: readonly string[] = [],
    listsTills = true,
  ): Promise<readonly unknown[]> =>
    current().store.accounts.claim({ account, tills, keyHashes, listsTills }, HOUR);

  describe('the tills that an account claims', () => {
    it('are refused to another account, which then claims nothing', async () => {
      const [one, two, three] = [newAccount(), newAccount(), newAccount()];
      const [till, other] = [newAccount(), newAccount()];
      expect(await claim(one, [till])).toEqual([]);
      expect(await claim(two, [other, till])).toEqual([{ kind: 'till', account: one, till }]);
      expect(await claim(three, [other])).toEqual([]);
    });

    it('may be claimed again by the same account, which gives up what it does not name', async () => {
      const [one, two] = [newAccount(), newAccount()];
      const [till, other] = [newAccount(), newAccount()];
      expect(await claim(one, [till])).toEqual([]);
      expect(await claim(one, [other])).toEqual([]);
      expect(await claim(two, [till])).toEqual([]);
    });

    it('are free when the claim was not repeated in time', async () => {
      const [one, two, till] = [newAccount(), newAccount(), newAccount()];
      expect(await claim(one, [till])).toEqual([]);
      await current().advance(HOUR);
      expect(await claim(two, [till])).toEqual([]);
      expect(await claim(one, [till])).toEqual([{ kind: 'till', account: two, till }]);
    });

    it('go to one of many accounts that claim them at the same moment', async () => {
      const till = newAccount();
      const results = await Promise.all(times(10, () => claim(newAccount(), [till])));
      expect(results.filter((conflicts) => conflicts.length === 0)).toHaveLength(1);
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
      expect(await claim(two, [newAccount()], [key], second)).toEqual(
        first && second ? [] : [{ kind: 'key', account: one, listsTills: first }],
      );
    });
  });
}
