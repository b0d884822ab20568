import {
  TokensStore,
  type SealedToken,
  type TokenHolder,
} from '../../../resources/tokens/tokens.store.js';
import { MemoryLeases } from '../memory.leases.js';

/** The token of one application. */
interface Kept {
  token: { sealed: Buffer; expiresAt: number } | null;
  closedUntil: number;
}

export class MemoryTokensStore extends TokensStore {
  private readonly kept = new Map<string, Kept>();
  private readonly renewals: MemoryLeases;

  constructor(private readonly now: () => number) {
    super();
    this.renewals = new MemoryLeases(now);
  }

  async read(holder: TokenHolder): Promise<SealedToken | null> {
    const token = this.kept.get(keyOf(holder))?.token;
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
    this.keptOf(holder).token = { sealed, expiresAt: this.now() + expiresInMs };
    this.renewals.release(keyOf(holder), owner);
    const isOver = ({ token, closedUntil }: Kept): boolean =>
      Math.max(token?.expiresAt ?? 0, closedUntil) <= this.now();
    for (const [key, kept] of this.kept)
      if (key.startsWith(keyOf({ ...holder, application: '' })) && isOver(kept))
        this.kept.delete(key);
  }

  async releaseRenewal(holder: TokenHolder, owner: string): Promise<void> {
    this.renewals.release(keyOf(holder), owner);
  }

  async clear(holder: TokenHolder): Promise<void> {
    this.keptOf(holder).token = null;
  }

  async close(holder: TokenHolder, forMs: number): Promise<void> {
    const kept = this.keptOf(holder);
    kept.closedUntil = Math.max(kept.closedUntil, this.now() + forMs);
  }

  async closedForMs(holder: TokenHolder): Promise<number> {
    return Math.max(0, (this.kept.get(keyOf(holder))?.closedUntil ?? 0) - this.now());
  }

  private keptOf(holder: TokenHolder): Kept {
    const kept = this.kept.get(keyOf(holder)) ?? { token: null, closedUntil: 0 };
    this.kept.set(keyOf(holder), kept);
    return kept;
  }
}

function keyOf({ account, application }: TokenHolder): string {
  return `${account}\n${application}`;
}
