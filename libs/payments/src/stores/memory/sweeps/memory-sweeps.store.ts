import { SweepsStore, type SweepProgress } from '../../../reconciliation/sweeps.store.js';
import { MemoryLeases } from '../memory.leases.js';
import type { MemoryLostTimes } from '../restores/memory.lost-times.js';

export class MemorySweepsStore extends SweepsStore {
  private readonly kept = new Map<string, SweepProgress>();
  private readonly claims: MemoryLeases;

  /** @param lost what a sweep reads again; its end ends the pause of the account */
  constructor(
    private readonly lost: MemoryLostTimes,
    private readonly endPause: (account: string) => Promise<void>,
    now: () => number,
  ) {
    super();
    this.claims = new MemoryLeases(now);
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
    if (this.lost.sweep(account, progress.watermark)) await this.endPause(account);
    return true;
  }

  /** What was read after a time must be read again. */
  goBack(account: string, to: Date): void {
    const kept = this.kept.get(account);
    if (kept && kept.watermark > to) this.kept.set(account, { ...kept, watermark: to });
  }
}
