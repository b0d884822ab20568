/** Work of one account. */
interface AccountWork {
  account: string;
}

/**
 * Shares the places of a work loop among accounts. Where there are several, the work of one account takes at most half of the places:
 * when it hangs, the others have room.
 */
export class AccountShares<T extends AccountWork> {
  /** How many pieces of work of each account run. */
  private readonly busy = new Map<string, number>();
  private share: number;

  constructor(private readonly places: number) {
    this.share = places;
  }

  /** Whether an account has its whole share, so that there may be more due work of it than was claimed. */
  isUsedUp(): boolean {
    return [...this.busy.values()].some((count) => count >= this.share);
  }

  /**
   * Claims at most `limit` pieces. When an account gets its whole share, the claim is repeated without it.
   * @param claim claims work of these accounts
   */
  async claim(
    accounts: readonly string[],
    limit: number,
    claim: (accounts: readonly string[], limit: number) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    this.share = accounts.length > 1 ? Math.ceil(this.places / 2) : this.places;
    const roomOf = (account: string): number => this.share - (this.busy.get(account) ?? 0);
    const claimed: T[] = [];
    for (;;) {
      const open = accounts.filter((account) => roomOf(account) > 0);
      // One account may get all that is claimed, so the smallest room is the limit.
      const most = Math.min(limit - claimed.length, ...open.map(roomOf));
      if (open.length === 0 || most < 1) return claimed;
      let next: readonly T[];
      try {
        next = await claim(open, most);
      } catch (error) {
        // What is claimed already must be worked on. The next claim fails again, or the store is back.
        if (claimed.length === 0) throw error;
        return claimed;
      }
      for (const { account } of next) this.busy.set(account, (this.busy.get(account) ?? 0) + 1);
      claimed.push(...next);
      if (next.length < most) return claimed;
    }
  }

  /** Does claimed work. Its place is free when it ends. */
  async work(item: T, work: (item: T) => Promise<void>): Promise<void> {
    try {
      await work(item);
    } finally {
      const left = (this.busy.get(item.account) ?? 1) - 1;
      if (left > 0) this.busy.set(item.account, left);
      else this.busy.delete(item.account);
    }
  }
}
