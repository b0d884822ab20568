import { randomUUID } from 'node:crypto';
import type { Claim, ClaimOutcome } from '../../runtime/claim.js';

interface Work {
  dueAt: number;
  token: string | null;
  leaseUntil: number;
  attempts: number;
}

/**
 * Work that waits to be claimed, in order of arrival. It has the rules of the database: a claim is a lease, an acknowledgement with
 * an old claim changes nothing, and work whose lease has ended may be claimed again.
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

  /** Claims due work. It calls `allowed` in order of arrival, and skips work for which the result is false. */
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

  /** The time from which work may be claimed; Infinity when there is no such work. */
  freeAt(id: string): number {
    const work = this.work.get(id);
    return work ? Math.max(work.dueAt, work.leaseUntil) : Infinity;
  }

  isLeased(id: string): boolean {
    return (this.work.get(id)?.leaseUntil ?? 0) > this.now();
  }

  /** Removes work, also while it is claimed. */
  drop(id: string): void {
    this.work.delete(id);
  }

  /** Ends a claim: removes the work, or makes it due again. False, without any change, when the lease was lost. */
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
