import { randomUUID } from 'node:crypto';
import type { Claim, ClaimOutcome } from '../payments.store.js';

interface Work {
  dueAt: number;
  token: string | null;
  leaseUntil: number;
  attempts: number;
}

/**
 * Work waiting to be claimed, in order of arrival. The same rules as in a database: a claim is a lease, an
 * acknowledgement with an old claim changes nothing, work whose lease has run out may be claimed again.
 */
export class MemoryQueue {
  private readonly work = new Map<string, Work>();

  constructor(private readonly now: () => number) {}

  has(id: string): boolean {
    return this.work.has(id);
  }

  add(id: string): void {
    this.work.set(id, { dueAt: this.now(), token: null, leaseUntil: 0, attempts: 0 });
  }

  /** Claims what is due and allowed. `allowed` is asked in order of arrival. */
  claim(
    limit: number,
    leaseMs: number,
    allowed: (id: string) => boolean,
  ): { id: string; token: string; attempts: number }[] {
    const now = this.now();
    const claimed: { id: string; token: string; attempts: number }[] = [];
    for (const [id, work] of this.work) {
      if (claimed.length >= limit) break;
      if (work.dueAt > now || work.leaseUntil > now || !allowed(id)) continue;
      work.token = randomUUID();
      work.leaseUntil = now + leaseMs;
      work.attempts += 1;
      claimed.push({ id, token: work.token, attempts: work.attempts });
    }
    return claimed;
  }

  /** Since when, or from when on, work may be claimed; never for none. */
  freeAt(id: string): number {
    const work = this.work.get(id);
    return work ? Math.max(work.dueAt, work.leaseUntil) : Infinity;
  }

  isLeased(id: string): boolean {
    return (this.work.get(id)?.leaseUntil ?? 0) > this.now();
  }

  /** Takes work out, also while it is claimed. */
  drop(id: string): void {
    this.work.delete(id);
  }

  /** Whether the claim still holds; if it does, the work is put back or taken out. */
  finish(claim: Claim, outcome: ClaimOutcome): boolean {
    const work = this.held(claim);
    if (!work) return false;
    if (outcome.kind === 'retry') {
      Object.assign(work, { token: null, leaseUntil: 0, dueAt: this.now() + outcome.inMs });
    } else {
      this.work.delete(claim.id);
    }
    return true;
  }

  renew(claim: Claim, leaseMs: number): boolean {
    const work = this.held(claim);
    if (work) work.leaseUntil = this.now() + leaseMs;
    return work !== undefined;
  }

  private held(claim: Claim): Work | undefined {
    const work = this.work.get(claim.id);
    return work?.token === claim.token ? work : undefined;
  }
}
