import type { ClaimedDelivery, DeliveryRecord, StoredDelivery } from '../../deliveries.store.js';
import type { DeliveryKind, NewDelivery } from '../../new-delivery.js';
import type { Claim, ClaimOutcome } from '../../../work/claim.js';
import type { Due, Waiting } from '../memory-due.js';
import { MemoryQueue } from '../memory-queue.js';
import type { MemoryTotals } from '../totals/memory-totals.store.js';
import { DELIVERY_WORK } from '../../../work/backoff.js';

/** How many finished deliveries are kept, for operators and to recognise duplicates. More would fill the memory. */
const KEPT_WHEN_FINISHED = 1_000;

type Kept = Omit<DeliveryRecord, 'ageMs'>;

/** Deliveries of one account. */
export class MemoryDeliveries {
  private readonly rows = new Map<string, Kept>();
  private readonly idsByKey = new Map<string, string>();
  private readonly finished: string[] = [];
  private readonly queues: Readonly<Record<DeliveryKind, MemoryQueue>>;

  constructor(
    readonly account: string,
    private readonly totals: MemoryTotals,
    private readonly now: () => number,
  ) {
    this.queues = { callback: new MemoryQueue(now), webhook: new MemoryQueue(now) };
  }

  store(delivery: NewDelivery, leaseMs?: number): StoredDelivery {
    const existing = this.rows.get(this.idsByKey.get(delivery.key) ?? '');
    if (existing) {
      existing.duplicates += 1;
      if (existing.state === 'unrecognised')
        this.reprocess(existing.id, DELIVERY_WORK.duplicateAgainMs);
      return { duplicate: true, claimed: null };
    }
    const received = { measure: 'delivery', name: delivery.kind, count: 1 } as const;
    const nothing = { kind: '', till: '', currency: '', minor: '0', at: null };
    this.totals.add(this.account, [{ ...received, ...nothing }], new Date(this.now()));
    this.rows.set(delivery.id, {
      ...delivery,
      state: 'pending',
      attempts: 0,
      duplicates: 0,
      receivedAt: new Date(this.now()),
      lastError: null,
    });
    this.idsByKey.set(delivery.key, delivery.id);
    this.queues[delivery.kind].add(delivery.id);
    return {
      duplicate: false,
      claimed: leaseMs === undefined ? null : this.claim(delivery, leaseMs),
    };
  }

  has(key: string): boolean {
    return this.rows.has(this.idsByKey.get(key) ?? '');
  }

  /** Leases a pending delivery to one process. */
  claim({ id, kind }: NewDelivery, leaseMs: number): { token: string; receivedAt: Date } {
    const row = this.rows.get(id) as Kept;
    const { token, attempts } = this.queues[kind].claim(id, leaseMs);
    row.attempts = attempts;
    return { token, receivedAt: row.receivedAt };
  }

  due(kind: DeliveryKind, limit: number, leaseMs: number): Due<ClaimedDelivery>[] {
    const due = this.queues[kind].due(limit, leaseMs, () => true);
    return due.map(({ dueAt, claim }) => ({
      dueAt,
      claim: () => {
        const { id, token, attempts } = claim();
        const row = this.rows.get(id) as Kept;
        row.attempts = attempts;
        return { ...this.withAge(row), token };
      },
    }));
  }

  waiting(kind: DeliveryKind): Waiting[] {
    return this.queues[kind].waiting();
  }

  finish(claim: Claim, outcome: ClaimOutcome): boolean {
    const row = this.rows.get(claim.id);
    if (!row || !this.queues[row.kind].finish(claim, outcome)) return false;
    if (outcome.kind === 'done' && outcome.isErased) {
      this.delete(row);
      return true;
    }
    row.lastError = outcome.kind === 'done' ? (outcome.note ?? null) : outcome.error;
    if (outcome.kind === 'retry') return true;
    row.state = outcome.kind === 'done' ? 'done' : 'unrecognised';
    if (row.state === 'done') this.deleteOldest(row.id);
    return true;
  }

  find(id: string): DeliveryRecord | null {
    const row = this.rows.get(id);
    return row ? this.withAge(row) : null;
  }

  all(): DeliveryRecord[] {
    return [...this.rows.values()].map((row) => this.withAge(row));
  }

  reprocess(id: string, inMs = 0): boolean {
    const row = this.rows.get(id);
    if (!row || this.isWaiting(row)) return false;
    row.state = 'pending';
    this.queues[row.kind].add(id, inMs);
    return true;
  }

  deleteOld(olderThanMs: number, limit: number): number {
    const before = this.now() - olderThanMs;
    const old = [...this.rows.values()].filter(
      (row) => row.state !== 'pending' && row.receivedAt.getTime() < before,
    );
    for (const row of old.slice(0, limit)) this.delete(row);
    return Math.min(old.length, limit);
  }

  /** Deletes those that are chosen and do not wait. */
  deleteChosen(isChosen: (row: Kept) => boolean): number {
    const chosen = [...this.rows.values()].filter((row) => !this.isWaiting(row) && isChosen(row));
    for (const row of chosen) this.delete(row);
    return chosen.length;
  }

  /** Changes the bodies of those that do not wait. Returns how many. @param change null: it stays */
  changeBodies(change: (row: Kept) => Buffer | null): number {
    let count = 0;
    for (const row of this.rows.values()) {
      const body = this.isWaiting(row) ? null : change(row);
      if (body === null) continue;
      this.rows.set(row.id, { ...row, body });
      count += 1;
    }
    return count;
  }

  private withAge(row: Kept): DeliveryRecord {
    return { ...row, ageMs: this.now() - row.receivedAt.getTime() };
  }

  private deleteOldest(justFinished: string): void {
    this.finished.push(justFinished);
    if (this.finished.length <= KEPT_WHEN_FINISHED) return;
    const oldest = this.rows.get(this.finished.shift() as string);
    if (oldest && !this.isWaiting(oldest)) this.delete(oldest);
  }

  private isWaiting({ kind, id }: Kept): boolean {
    return this.queues[kind].has(id);
  }

  private delete(row: Kept): void {
    this.rows.delete(row.id);
    this.idsByKey.delete(row.key);
  }
}
