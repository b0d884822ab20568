/** Exclusive leases: each account has at most one owner at a time. */
export class MemoryLeases {
  private readonly leases = new Map<string, { owner: string; until: number }>();

  constructor(private readonly now: () => number) {}

  claim(account: string, owner: string, leaseMs: number): boolean {
    const lease = this.leases.get(account);
    if (lease && lease.owner !== owner && lease.until > this.now()) return false;
    this.leases.set(account, { owner, until: this.now() + leaseMs });
    return true;
  }

  holds(account: string, owner: string): boolean {
    return this.leases.get(account)?.owner === owner;
  }

  release(account: string, owner: string): void {
    if (this.holds(account, owner)) this.leases.delete(account);
  }
}
