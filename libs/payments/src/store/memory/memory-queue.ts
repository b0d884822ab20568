import { randomUUID } from 'node:crypto';
import type { Claim, ClaimOutcome } from '../../work/claim.js';
import type { Due, Waiting } from './memory-due.js';

interface Work {
  id: string;
  dueAt: number;
  token: string | null;
  leaseUntil: number;
  attempts: number;
}

/** Work that a claim has leased. */
type Leased = Pick<Claim, 'id' | 'token'> & { attempts: number };

/**
 * Work of one account that waits to be claimed. It has the rules of the database: a claim is a lease, an acknowledgement with
 * an old claim changes nothing, and work whose lease has ended may be claimed again.
 */
export class MemoryQueue {
  private readonly work = new Map<string, Work>();
  /** The same work, in the order in which it is due, so that a claim can stop at its limit. */
  private readonly line: Work[] = [];

  constructor(private readonly now: () => number) {}

  has(id: string): boolean {
    return this.work.has(id);
  }

  add(id: string, inMs = 0): void {
    const work: Work = { id, dueAt: this.now() + inMs, token: null, leaseUntil: 0, attempts: 0 };
    this.work.set(id, work);
    this.lineUp(work);
  }

  /** Due work, at most `limit`. It calls `allowed` in the order in which work is due, and skips work for which the result is false. */
  due(limit: number, leaseMs: number, allowed: (id: string) => boolean): Due<Leased>[] {
    const now = this.now();
    const due: Due<Leased>[] = [];
    for (const work of this.line) {
      if (due.length >= limit || work.dueAt > now) break;
      if (work.leaseUntil > now || !allowed(work.id)) continue;
      due.push({ dueAt: work.dueAt, claim: () => this.claim(work.id, leaseMs) });
    }
    return due;
  }

  /** All work, in the order in which it is due. */
  waiting(): Waiting[] {
    return this.line.map(({ id, dueAt, leaseUntil }) => ({ id, dueAt, claimedUntil: leaseUntil }));
  }

  /** Leases work to one process. */
  claim(id: string, leaseMs: number): Leased {
    const work = this.work.get(id) as Work;
    const token = (work.token = randomUUID());
    work.leaseUntil = this.now() + leaseMs;
    work.attempts += 1;
    return { id, token, attempts: work.attempts };
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
    const work = this.work.get(id);
    if (!work) return;
    this.work.delete(id);
    this.leaveLine(work);
  }

  /** Ends a claim: removes the work, or makes it due again. False, without any change, when the lease was lost. */
  finish(claim: Claim, outcome: ClaimOutcome): boolean {
    const work = this.held(claim);
    if (!work) return false;
    if (outcome.kind === 'retry') {
      this.leaveLine(work);
      Object.assign(work, { token: null, leaseUntil: 0, dueAt: this.now() + outcome.inMs });
      this.lineUp(work);
    } else this.drop(claim.id);
    return true;
  }

  renew(claim: Claim, leaseMs: number): boolean {
    const work = this.held(claim);
    if (work) work.leaseUntil = this.now() + leaseMs;
    return work !== undefined;
  }

  /** Nearly all work that comes is due last, so the search for its place begins there. */
  private lineUp(work: Work): void {
    this.line.splice(this.line.findLastIndex(({ dueAt }) => dueAt <= work.dueAt) + 1, 0, work);
  }

  private leaveLine(work: Work): void {
    this.line.splice(this.line.indexOf(work), 1);
  }

  private held(claim: Claim): Work | undefined {
    const work = this.work.get(claim.id);
    return work?.token === claim.token ? work : undefined;
  }
}
