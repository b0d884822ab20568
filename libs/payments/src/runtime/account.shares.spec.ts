import { beforeEach, describe, expect, it } from '@jest/globals';
import { AccountShares } from './account.shares.js';

interface Work {
  account: string;
}

const manyOf = (account: string): Work[] => Array.from({ length: 100 }, () => ({ account }));

describe('the places of a work loop', () => {
  let shares: AccountShares<Work>;
  let due: Work[];
  /** The limit of each claim. */
  let limits: number[];

  beforeEach(() => {
    shares = new AccountShares(10);
    limits = [];
  });

  /** Claims what has been due longest. */
  const claimDue = async (accounts: readonly string[], limit: number): Promise<Work[]> => {
    limits.push(limit);
    const claimed = due.filter(({ account }) => accounts.includes(account)).slice(0, limit);
    due = due.filter((work) => !claimed.includes(work));
    return claimed;
  };

  const claimed = async (accounts: readonly string[], limit: number): Promise<string> => {
    const work = await shares.claim(accounts, limit, claimDue);
    return work.map(({ account }) => account).join('');
  };

  it('are all for the only account, with one claim', async () => {
    due = manyOf('a');
    expect(await claimed(['a'], 10)).toBe('aaaaaaaaaa');
    expect(limits).toEqual([10]);
  });

  it('are at most half for one of several accounts, also when nothing of the others is due', async () => {
    due = manyOf('a');
    expect(await claimed(['a', 'b'], 10)).toBe('aaaaa');
    expect(shares.isUsedUp()).toBe(true);
    expect(await claimed(['a', 'b'], 5)).toBe('');
  });

  it('are left for an account whose work is due last', async () => {
    due = [...manyOf('a'), { account: 'b' }];
    expect(await claimed(['a', 'b'], 10)).toBe('aaaaab');
  });

  it('are free again when work has ended, also when it failed', async () => {
    due = manyOf('a');
    const work = await shares.claim(['a', 'b'], 10, claimDue);
    await expect(
      shares.work(work[0] as Work, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    await shares.work(work[1] as Work, async () => undefined);
    expect(shares.isUsedUp()).toBe(false);
    expect(await claimed(['a', 'b'], 10)).toBe('aa');
  });

  it('keep what was claimed before a claim that fails', async () => {
    due = manyOf('a');
    let claims = 0;
    const failing = (accounts: readonly string[], limit: number): Promise<Work[]> => {
      claims += 1;
      return claims > 1 ? Promise.reject(new Error('away')) : claimDue(accounts, limit);
    };
    expect(await shares.claim(['a', 'b'], 10, failing)).toHaveLength(5);
    await expect(shares.claim(['a', 'b'], 5, failing)).rejects.toThrow('away');
  });
});
