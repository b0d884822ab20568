import { TokensStore } from '../../../resources/tokens/tokens.store.js';
import { MemoryLeases } from '../memory.leases.js';

export class MemoryTokensStore extends TokensStore {
  private readonly tokens = new Map<string, { sealed: Buffer; expiresAt: number }>();
  private readonly renewals: MemoryLeases;
  /** The application of the last claim of each account. */
  private readonly applications = new Map<string, string>();

  constructor(private readonly now: () => number) {
    super();
    this.renewals = new MemoryLeases(now);
  }

  async read(account: string): Promise<{ sealed: Buffer; expiresInMs: number } | null> {
    const token = this.tokens.get(account);
    const expiresInMs = (token?.expiresAt ?? 0) - this.now();
    return token && expiresInMs > 0 ? { sealed: token.sealed, expiresInMs } : null;
  }

  async claimRenewal(
    account: string,
    application: string,
    owner: string,
    leaseMs: number,
  ): Promise<boolean> {
    if (this.applications.get(account) !== application) this.renewals.end(account);
    this.applications.set(account, application);
    return this.renewals.claim(account, owner, leaseMs);
  }

  async save(account: string, owner: string, sealed: Buffer, expiresInMs: number): Promise<void> {
    this.tokens.set(account, { sealed, expiresAt: this.now() + expiresInMs });
    this.renewals.release(account, owner);
  }

  async releaseRenewal(account: string, owner: string): Promise<void> {
    this.renewals.release(account, owner);
  }

  async clear(account: string): Promise<void> {
    this.tokens.delete(account);
  }
}
