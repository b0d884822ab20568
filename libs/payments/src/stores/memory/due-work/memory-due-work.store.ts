import { DueWorkStore, type DueWork, type WorkAccounts } from '../../../runtime/due-work.store.js';
import type { PlannedKind } from '../../../runtime/planned-work.store.js';
import type { MemoryDeliveriesStore } from '../deliveries/memory-deliveries.store.js';
import type { MemoryEventsStore } from '../events/memory-events.store.js';
import type { MemoryOperationsStore } from '../operations/memory-operations.store.js';
import type { MemoryPlannedWorkStore } from '../planned-work/memory-planned-work.store.js';

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
    const due = <T extends { dueAt: number; claimedUntil?: number }>(waiting: readonly T[]): T[] =>
      waiting.filter(({ dueAt, claimedUntil = 0 }) => {
        const leftMs = Math.max(dueAt, claimedUntil) - now;
        if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
        return leftMs <= 0;
      });
    const operations = this.operations.within(reconciled);
    const deliveries = this.deliveries.within(background);
    const calls = this.events.within(background).flatMap((events) => {
      const listeners = due(events.waiting()).map(({ listener }) => listener);
      return [...new Set(listeners)].map((listener) => ({ account: events.account, listener }));
    });
    const isPlanned = (kind: PlannedKind): boolean => {
      const accounts = kind === 'sweep' ? reconciled : background;
      return due(this.plannedWork.waiting(accounts, kind)).length > 0;
    };
    return {
      callbacks: due(deliveries.flatMap((own) => own.waiting('callback'))).length > 0,
      webhooks: due(deliveries.flatMap((own) => own.waiting('webhook'))).length > 0,
      open: due(operations.flatMap((own) => own.waiting(false))).length > 0,
      followed: due(operations.flatMap((own) => own.waiting(true))).length > 0,
      planned: (['sweep', 'retention'] as const).filter(isPlanned),
      calls,
      nextMs: nextMs <= withinMs ? nextMs : null,
    };
  }
}
