import { SweepsStore, type SweepProgress, type SweptProgress } from '../../sweeps.store.js';
import { MemoryLeases } from '../memory-leases.js';

export class MemorySweepsStore extends SweepsStore {
  private readonly kept = new Map<string, SweepProgress>();
  private readonly claims: MemoryLeases;

  constructor(now: () => number) {
    super();
    this.claims = new MemoryLeases(now);
  }

  async progress(account: string, start: Date): Promise<SweepProgress> {
    const kept = this.kept.get(account);
    if (kept) return kept;
    const first = {
      sweepFrom: start,
      watermark: start,
      recoveredAt: null,
      scope: null,
    };
    this.kept.set(account, first);
    return first;
  }

  async claim(account: string, owner: string, leaseMs: number): Promise<boolean> {
    return this.claims.claim(account, owner, leaseMs);
  }

  async save(account: string, owner: string, progress: SweptProgress): Promise<boolean> {
    const kept = this.kept.get(account);
    if (!kept || !this.claims.holds(account, owner)) return false;
    this.kept.set(account, { ...kept, ...progress });
    return true;
  }
}
