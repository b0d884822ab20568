import {
  SweepsStore,
  type SweepProgress,
  type SweptProgress,
} from '../../../reconciliation/sweeps.store.js';
import { MemoryLeases } from '../memory.leases.js';
import type { MemoryLostTimes } from '../restores/memory.lost-times.js';
import type { MemoryTrafficStore } from '../traffic/memory-traffic.store.js';

/** As in the database. */
const LOST_TIME_SWEPT = 'the lost time was swept';
const REVERSED_WITHIN_MS = 5 * 86_400_000;

export class MemorySweepsStore extends SweepsStore {
  private readonly kept = new Map<string, SweepProgress>();
  private readonly claims: MemoryLeases;

  constructor(
    private readonly lost: MemoryLostTimes,
    private readonly traffic: MemoryTrafficStore,
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
    { now, ...progress }: SweptProgress,
  ): Promise<boolean> {
    const kept = this.kept.get(account);
    if (!kept || !this.claims.holds(account, owner)) return false;
    this.kept.set(account, { ...kept, ...progress });
    const by = this.lost.sweep(account, progress.watermark, now);
    if (by !== null) this.traffic.enter('resumed', account, by, LOST_TIME_SWEPT);
    return true;
  }

  /** What was read after a time must be read again; reversals of that time, also of older money. A sweep that runs loses its lease. */
  goBack(account: string, to: Date): void {
    this.claims.end(account);
    const kept = this.kept.get(account);
    if (!kept) return;
    const recovered = new Date(to.getTime() - REVERSED_WITHIN_MS);
    this.kept.set(account, {
      ...kept,
      watermark: earlier(kept.watermark, to),
      recoveredAt: kept.recoveredAt && earlier(kept.recoveredAt, recovered),
    });
  }

  /** How far the last sweep of any account has read, in epoch milliseconds; -Infinity when there was none. */
  lastWatermark(): number {
    return Math.max(...[...this.kept.values()].map(({ watermark }) => watermark.getTime()));
  }
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}
