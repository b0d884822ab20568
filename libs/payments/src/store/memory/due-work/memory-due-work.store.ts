import { DueWorkStore, type DueWork, type WorkAccounts } from '../../due-work.store.js';
import type { PlannedKind } from '../../planned-work.store.js';
import type { MemoryDeliveriesStore } from '../deliveries/memory-deliveries.store.js';
import type { MemoryEventsStore } from '../events/memory-events.store.js';
import type { MemoryOperationsStore } from '../operations/memory-operations.store.js';
import type { MemoryPlannedWorkStore } from '../planned-work/memory-planned-work.store.js';

/** Work that is due at some time, and free of claims at another. */
interface Waiting {
  dueAt: number;
  claimedUntil?: number;
}

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
    let nextMs = Number.POSITIVE_INFINITY;
    const due = <T extends Waiting>(waiting: readonly T[]): T[] =>
      waiting.filter(({ dueAt, claimedUntil = 0 }) => {
        const leftMs = Math.max(dueAt, claimedUntil) - now;
        if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
        return leftMs <= 0;
      });
    const accounts = new Set<string>();
    const isAny = <T extends { account: string }>(
      own: readonly T[],
      waiting: (of: T) => readonly Waiting[],
    ): boolean => {
      const withWork = own.filter((of) => due(waiting(of)).length > 0);
      for (const { account } of withWork) accounts.add(account);
      return withWork.length > 0;
    };
    const operations = this.operations.within(reconciled);
    const deliveries = this.deliveries.within(background);
    const calls = this.events.within(background).flatMap((events) => {
      const listeners = due(events.waiting()).map(({ listener }) => listener);
      return [...new Set(listeners)].map((listener) => ({ account: events.account, listener }));
    });
    for (const { account } of calls) accounts.add(account);
    const isPlanned = (kind: PlannedKind): boolean =>
      isAny(this.plannedWork.waiting(kind === 'sweep' ? reconciled : background, kind), (work) => [
        work,
      ]);
    return {
      callbacks: isAny(deliveries, (own) => own.waiting('callback')),
      webhooks: isAny(deliveries, (own) => own.waiting('webhook')),
      open: isAny(operations, (own) => own.waiting(false)),
      followed: isAny(operations, (own) => own.waiting(true)),
      planned: (['sweep', 'retention'] as const).filter(isPlanned),
      calls,
      accounts: [...accounts],
      nextMs: nextMs <= withinMs ? nextMs : null,
    };
  }
}
