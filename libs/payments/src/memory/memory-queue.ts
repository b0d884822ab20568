import { randomUUID } from 'node:crypto';
import type { Claim, ClaimOutcome } from '../store/claim.js';

/**
 * Work of one account that waits to be claimed. It has the rules of the database: a claim is a lease, an acknowledgement with
 * an old claim changes nothing, and work whose lease has ended may be claimed again.
 */
export class MemoryQueue<T extends { id: string }> {
  /** The map keeps the order in which work came. */
  private readonly work = new Map<string, Work<T>>();

  constructor(private readonly now: () => number) {}

  add(item: T, inMs = 0): void {
    const dueAt = this.now() + inMs;
    this.work.set(item.id, { item, dueAt, token: null, leaseUntil: 0, attempts: 0 });
  }

  get(id: string): T | undefined {
    return this.work.get(id)?.item;
  }

  /** Returns all that waits, in the order in which it came. */
  items(): T[] {
    return [...this.work.values()].map(({ item }) => item);
  }

  /** Returns due work, at most `limit`. It calls `allowed` in the order in which work is due, and skips work for which the result is false. */
  due(limit: number, leaseMs: number, allowed: (item: T) => boolean): Due<Leased<T>>[] {
    const now = this.now();
    const due: Due<Leased<T>>[] = [];
    const free = [...this.work.values()].filter(
      ({ dueAt, leaseUntil }) => dueAt <= now && leaseUntil <= now,
    );
    for (const { item, dueAt } of free.sort((one, other) => one.dueAt - other.dueAt)) {
      if (due.length >= limit) break;
      if (allowed(item)) due.push({ dueAt, claim: () => this.claim(item.id, leaseMs) });
    }
    return due;
  }

  /**
   * Leases work to one process. A claim whose outcome was never stored may have done nothing, because its answer was lost or its process
   * died: the next one takes over its attempt, so that work which was never done is not given up.
   */
  claim(id: string, leaseMs: number): Leased<T> {
    const work = this.work.get(id) as Work<T>;
    if (work.token === null) work.attempts += 1;
    const token = (work.token = randomUUID());
    work.leaseUntil = this.now() + leaseMs;
    return { item: work.item, token, attempts: work.attempts };
  }

  renew(claim: Claim, leaseMs: number): boolean {
    const work = this.held(claim);
    if (work) work.leaseUntil = this.now() + leaseMs;
    return work !== undefined;
  }

  /** Ends a claim: removes the work, or makes it due again. False, without any change, when the lease was lost. */
  finish(claim: Claim, outcome: ClaimOutcome): boolean {
    const work = this.held(claim);
    if (!work) return false;
    if (outcome.kind === 'retry')
      Object.assign(work, { token: null, leaseUntil: 0, dueAt: this.now() + outcome.inMs });
    else this.drop(claim.id);
    return true;
  }

  /** Removes work, also while it is claimed. */
  drop(id: string): void {
    this.work.delete(id);
  }

  /** Returns the time from which work may be claimed; Infinity when there is no such work. */
  freeAt(id: string): number {
    const work = this.work.get(id);
    return work ? Math.max(work.dueAt, work.leaseUntil) : Infinity;
  }

  isLeased(id: string): boolean {
    return (this.work.get(id)?.leaseUntil ?? 0) > this.now();
  }

  private held(claim: Claim): Work<T> | undefined {
    const work = this.work.get(claim.id);
    return work?.token === claim.token ? work : undefined;
  }
}

interface Work<T> {
  item: T;
  dueAt: number;
  token: string | null;
  leaseUntil: number;
  attempts: number;
}

/** Work that a claim has leased. */
interface Leased<T> {
  item: T;
  token: string;
  attempts: number;
}

/** Work of one account that may be claimed. */
export interface Due<T> {
  dueAt: number;
  claim: () => T;
}

/** Work of an account that waits, and the time from which it may be claimed. */
export interface Waiting {
  account: string;
  freeAt: number;
}

/** Claims the work that has been due longest, whatever its account is. */
export function claimLongestDue<T>(due: readonly Due<T>[], limit: number): T[] {
  return due
    .toSorted((one, other) => one.dueAt - other.dueAt)
    .slice(0, limit)
    .map((work) => work.claim());
}

/** Exclusive leases: each account has at most one owner at a time. */
export class MemoryLeases {
  private readonly leases = new Map<string, { owner: string; until: number }>();

  constructor(private readonly now: () => number) {}

  claim(account: string, owner: string, leaseMs: number): boolean {
    const lease = this.leases.get(account);
    if (lease && lease.owner !== owner && lease.until > this.now()) return false;
    this.leases.set(account, { owner, until: this.now() + leaseMs });
    return true;
  }

  holds(account: string, owner: string): boolean {
    return this.leases.get(account)?.owner === owner;
  }

  release(account: string, owner: string): void {
    if (this.holds(account, owner)) this.leases.delete(account);
  }
}
