import { untilDeadline } from './write-permission.js';

/**
 * The connections to one origin, counted by us, for all accounts that share them. In the queue of Node's agent a create would wait after we
 * have asked whether it may be sent, and one account could have all connections. The more are in use, the fewer an account may have, but
 * each may have one.
 */
export class ConnectionSlots {
  private inUse = 0;
  /** The number of connections that each account has now. */
  private readonly held = new Map<string, number>();
  /** The callers that wait, by account. The account that got a connection last is the last. */
  private readonly waiting = new Map<string, (() => void)[]>();

  /**
   * @param ofOne the most that one account may have
   * @param ofAll the most that all of them may have together, but for the first one of each
   */
  constructor(
    private readonly ofOne: number,
    private readonly ofAll: number,
  ) {}

  /** Takes a slot if the account may have one now. */
  tryTake(account: string): boolean {
    if (this.waiting.has(account) || !this.mayHave(account)) return false;
    this.take(account);
    return true;
  }

  /**
   * Waits for a slot. Accounts take turns, and the callers of one account keep their order. False when the time is over or the application
   * closes first.
   */
  async wait(account: string, timeoutMs: number, shutdown: AbortSignal): Promise<boolean> {
    if (shutdown.aborted) return false;
    return new Promise((resolve) => {
      const begin = (): void => {
        clear();
        resolve(true);
      };
      const clear = untilDeadline(timeoutMs, shutdown, () => {
        this.remove(account, begin);
        resolve(false);
      });
      this.waiting.set(account, [...(this.waiting.get(account) ?? []), begin]);
    });
  }

  give(account: string): void {
    this.inUse -= 1;
    const left = this.heldBy(account) - 1;
    if (left > 0) this.held.set(account, left);
    else this.held.delete(account);
    this.serve();
  }

  private serve(): void {
    for (const [account, [next]] of this.waiting) {
      if (!next || !this.mayHave(account)) continue;
      this.take(account);
      this.remove(account, next);
      // The account comes after the others from now on.
      const others = this.waiting.get(account);
      if (others && this.waiting.delete(account)) this.waiting.set(account, others);
      next();
      // The account that gave the slot back may have none left, and may wait as well.
      this.serve();
      return;
    }
  }

  private mayHave(account: string): boolean {
    const held = this.heldBy(account);
    return held === 0 || held < Math.min(this.ofOne, this.ofAll - this.inUse);
  }

  private heldBy(account: string): number {
    return this.held.get(account) ?? 0;
  }

  private take(account: string): void {
    this.inUse += 1;
    this.held.set(account, this.heldBy(account) + 1);
  }

  private remove(account: string, waiter: () => void): void {
    const left = (this.waiting.get(account) ?? []).filter((each) => each !== waiter);
    if (left.length > 0) this.waiting.set(account, left);
    else this.waiting.delete(account);
  }
}
