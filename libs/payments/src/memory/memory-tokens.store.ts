import { TokensStore, type SealedToken, type TokenHolder } from '../store/tokens.store.js';
import { MemoryLeases } from './memory-queue.js';

export class MemoryTokensStore extends TokensStore {
  private readonly tokens = new Map<string, { sealed: Buffer; expiresAt: number }>();
  private readonly renewals: MemoryLeases;

  constructor(private readonly now: () => number) {
    super();
    this.renewals = new MemoryLeases(now);
  }

  async read(holder: TokenHolder): Promise<SealedToken | null> {
    const token = this.tokens.get(keyOf(holder));
    const expiresInMs = (token?.expiresAt ?? 0) - this.now();
    return token && expiresInMs > 0 ? { sealed: token.sealed, expiresInMs } : null;
  }

  async claimRenewal(holder: TokenHolder, owner: string, leaseMs: number): Promise<boolean> {
    return this.renewals.claim(keyOf(holder), owner, leaseMs);
  }

  async save(
    holder: TokenHolder,
    owner: string,
    { sealed, expiresInMs }: SealedToken,
  ): Promise<void> {
    this.tokens.set(keyOf(holder), { sealed, expiresAt: this.now() + expiresInMs });
    this.renewals.release(keyOf(holder), owner);
    for (const [key, { expiresAt }] of this.tokens)
      if (key.startsWith(keyOf({ ...holder, application: '' })) && expiresAt <= this.now())
        this.tokens.delete(key);
  }

  async releaseRenewal(holder: TokenHolder, owner: string): Promise<void> {
    this.renewals.release(keyOf(holder), owner);
  }

  async clear(holder: TokenHolder): Promise<void> {
    this.tokens.delete(keyOf(holder));
  }
}

function keyOf({ account, application }: TokenHolder): string {
  return `${account}\n${application}`;
}
