import { PlannedWorkStore, type PlannedKind, type PlannedWork } from '../../planned-work.store.js';
import { includes, type AccountScope } from '../../../work/account-scope.js';
import { claimLongestDue } from '../memory-due.js';

export class MemoryPlannedWorkStore extends PlannedWorkStore {
  /** When the work of each kind is due, by account. */
  private readonly plans: Record<PlannedKind, Map<string, number>> = {
    sweep: new Map(),
    retention: new Map(),
  };

  constructor(private readonly now: () => number) {
    super();
  }

  /** When work of accounts is due. */
  waiting(accounts: AccountScope, kind: PlannedKind): { account: string; dueAt: number }[] {
    return [...this.plans[kind]]
      .filter(([account]) => includes(accounts, account))
      .map(([account, dueAt]) => ({ account, dueAt }));
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
      .filter(({ dueAt }) => dueAt <= this.now())
      .map(({ account, dueAt }) => ({
        dueAt,
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
