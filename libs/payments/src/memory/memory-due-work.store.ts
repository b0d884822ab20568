import { type AccountScope, includes } from '../store/claim.js';
import {
  type DueWork,
  DueWorkStore,
  type PlannedKind,
  type PlannedWork,
  PlannedWorkStore,
  type SweepProgress,
  SweepsStore,
  type SweptProgress,
  type WorkAccounts,
} from '../store/due-work.store.js';
import type { MemoryDeliveriesStore } from './memory-deliveries.store.js';
import type { MemoryEventsStore } from './memory-events.store.js';
import type { MemoryOperationsStore } from './memory-operations.store.js';
import { claimLongestDue, MemoryLeases, type Waiting } from './memory-queue.js';

export class MemoryDueWorkStore extends DueWorkStore {
  constructor(
    private readonly operations: MemoryOperationsStore,
    private readonly deliveries: MemoryDeliveriesStore,
    private readonly events: MemoryEventsStore,
    private readonly plannedWork: MemoryPlannedWorkStore,
    private readonly now: () => number,
  ) {
    super();
  }

  async look({ background, reconciled }: WorkAccounts, withinMs: number): Promise<DueWork> {
    const now = this.now();
    const accounts = new Set<string>();
    let nextMs = Number.POSITIVE_INFINITY;
    const dueOf = <T extends Waiting>(waiting: readonly T[]): T[] =>
      waiting.filter(({ account, freeAt }) => {
        if (freeAt > now) nextMs = Math.min(nextMs, freeAt - now);
        else accounts.add(account);
        return freeAt <= now;
      });
    const isAny = (waiting: readonly Waiting[]): boolean => dueOf(waiting).length > 0;
    const { operations, deliveries, events, plannedWork } = this;
    const isPlanned = (kind: PlannedKind): boolean =>
      isAny(plannedWork.waiting(kind === 'sweep' ? reconciled : background, kind));
    const calls = dueOf(events.waiting(background)).map(
      ({ account, listener }) => [`${account}\n${listener}`, { account, listener }] as const,
    );
    return {
      calls: [...new Map(calls).values()],
      callbacks: isAny(deliveries.waiting(background, 'callback')),
      webhooks: isAny(deliveries.waiting(background, 'webhook')),
      open: isAny(operations.waiting(reconciled, false)),
      followed: isAny(operations.waiting(reconciled, true)),
      planned: (['sweep', 'retention'] as const).filter(isPlanned),
      accounts: [...accounts],
      nextMs: nextMs <= withinMs ? nextMs : null,
    };
  }
}

export class MemoryPlannedWorkStore extends PlannedWorkStore {
  /** The time at which the work of each kind is due, by account. */
  private readonly plans: Record<PlannedKind, Map<string, number>> = {
    sweep: new Map(),
    retention: new Map(),
  };

  constructor(private readonly now: () => number) {
    super();
  }

  waiting(accounts: AccountScope, kind: PlannedKind): Waiting[] {
    return [...this.plans[kind]]
      .filter(([account]) => includes(accounts, account))
      .map(([account, freeAt]) => ({ account, freeAt }));
  }

  async plan(works: readonly PlannedWork[]): Promise<void> {
    for (const { account, kind, inMs } of works) {
      const planned = this.plans[kind].get(account) ?? Number.POSITIVE_INFINITY;
      this.plans[kind].set(account, Math.min(planned, this.now() + inMs));
    }
  }

  async claim(
    accounts: readonly string[],
    kind: PlannedKind,
    limit: number,
    leaseMs: number,
  ): Promise<string[]> {
    const due = this.waiting(accounts, kind)
      .filter(({ freeAt }) => freeAt <= this.now())
      .map(({ account, freeAt }) => ({
        dueAt: freeAt,
        claim: () => {
          this.plans[kind].set(account, this.now() + leaseMs);
          return account;
        },
      }));
    return claimLongestDue(due, limit);
  }

  async cancel(accounts: readonly string[], kind: PlannedKind): Promise<void> {
    for (const account of accounts) this.plans[kind].delete(account);
  }

  async replan(account: string, kind: PlannedKind, inMs: number): Promise<void> {
    this.plans[kind].set(account, this.now() + inMs);
  }
}

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
