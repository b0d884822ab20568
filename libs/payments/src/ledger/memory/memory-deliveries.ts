import type {
  Claim,
  ClaimedDelivery,
  ClaimOutcome,
  DeliveryRecord,
  NewDelivery,
} from '../payments.store.js';
import { MemoryQueue } from './memory-queue.js';

/** Finished deliveries kept to be looked at and to save work on repeats; more would only fill memory. */
const KEPT_WHEN_FINISHED = 1_000;

type Kept = Omit<DeliveryRecord, 'ageMs'>;

/** Deliveries of one account. */
export class MemoryDeliveries {
  private readonly rows = new Map<string, Kept>();
  private readonly idsByKey = new Map<string, string>();
  private readonly finished: string[] = [];
  private readonly queue: MemoryQueue;

  constructor(private readonly now: () => number) {
    this.queue = new MemoryQueue(now);
  }

  store(delivery: NewDelivery): { duplicate: boolean } {
    const known = this.rows.get(this.idsByKey.get(delivery.key) ?? '');
    if (known) {
      known.redeliveries += 1;
      return { duplicate: true };
    }
    this.rows.set(delivery.id, {
      ...delivery,
      state: 'pending',
      attempts: 0,
      redeliveries: 0,
      receivedAt: new Date(this.now()),
      lastError: null,
    });
    this.idsByKey.set(delivery.key, delivery.id);
    this.queue.add(delivery.id);
    return { duplicate: false };
  }

  claim(limit: number, leaseMs: number): ClaimedDelivery[] {
    return this.queue
      .claim(limit, leaseMs, () => true)
      .map(({ id, token, attempts }) => {
        const row = this.rows.get(id) as Kept;
        row.attempts = attempts;
        return { ...this.withAge(row), token };
      });
  }

  finish(claim: Claim, outcome: ClaimOutcome): boolean {
    if (!this.queue.finish(claim, outcome)) return false;
    const row = this.rows.get(claim.id) as Kept;
    row.lastError = outcome.kind === 'done' ? (outcome.note ?? null) : outcome.error;
    if (outcome.kind === 'retry') return true;
    row.state = outcome.kind === 'done' ? 'done' : 'unrecognised';
    if (row.state === 'done') this.forgetOldest(row.id);
    return true;
  }

  find(id: string): DeliveryRecord | null {
    const row = this.rows.get(id);
    return row ? this.withAge(row) : null;
  }

  all(): DeliveryRecord[] {
    return [...this.rows.values()].map((row) => this.withAge(row));
  }

  replay(id: string): boolean {
    const row = this.rows.get(id);
    if (!row || this.queue.has(id)) return false;
    row.state = 'pending';
    this.queue.add(id);
    return true;
  }

  purge(olderThanMs: number, limit: number): number {
    const before = this.now() - olderThanMs;
    const old = [...this.rows.values()].filter(
      (row) => row.state !== 'pending' && row.receivedAt.getTime() < before,
    );
    for (const row of old.slice(0, limit)) this.forget(row.id);
    return Math.min(old.length, limit);
  }

  private withAge(row: Kept): DeliveryRecord {
    return { ...row, ageMs: this.now() - row.receivedAt.getTime() };
  }

  private forgetOldest(justFinished: string): void {
    this.finished.push(justFinished);
    if (this.finished.length <= KEPT_WHEN_FINISHED) return;
    const oldest = this.finished.shift() as string;
    if (!this.queue.has(oldest)) this.forget(oldest);
  }

  private forget(id: string): void {
    const row = this.rows.get(id);
    if (!row) return;
    this.rows.delete(id);
    this.idsByKey.delete(row.key);
  }
}
