import { SweepsStore, type SweepProgress } from '../../../reconciliation/sweeps.store.js';
import { MemoryLeases } from '../memory.leases.js';

export class MemorySweepsStore extends SweepsStore {
  private readonly startedAt = new Map<string, number>();
  private readonly kept = new Map<string, SweepProgress>();
  private readonly claims: MemoryLeases;

  constructor(private readonly now: () => number) {
    super();
    this.claims = new MemoryLeases(now);
  }

  async noteStarts(accounts: readonly string[]): Promise<void> {
    for (const account of accounts)
      this.startedAt.set(account, this.startedAt.get(account) ?? this.now());
  }

  async msSinceFirstStart(account: string): Promise<number> {
    return this.now() - (this.startedAt.get(account) ?? this.now());
  }

  async progress(account: string, start: Date): Promise<SweepProgress> {
    const kept = this.kept.get(account);
    if (kept) return kept;
    const first = { sweepFrom: start, watermark: start, recoveredAt: null };
    this.kept.set(account, first);
    return first;
  }

  async claim(account: string, owner: string, leaseMs: number): Promise<boolean> {
    return this.claims.claim(account, owner, leaseMs);
  }

  async save(
    account: string,
    owner: string,
    progress: Pick<SweepProgress, 'watermark' | 'recoveredAt'>,
  ): Promise<boolean> {
    const kept = this.kept.get(account);
    if (!kept || !this.claims.holds(account, owner)) return false;
    this.kept.set(account, { ...kept, ...progress });
    return true;
  }
}
