import { DueWorkStore, type DueWork, type WorkAccounts } from '../../../runtime/due-work.store.js';
import type { MemoryDeliveriesStore } from '../deliveries/memory-deliveries.store.js';
import type { MemoryEventsStore } from '../events/memory-events.store.js';
import type { Waiting } from '../memory.due.js';
import type { MemoryOperationsStore } from '../operations/memory-operations.store.js';

export class MemoryDueWorkStore extends DueWorkStore {
  constructor(
    private readonly operations: MemoryOperationsStore,
    private readonly deliveries: MemoryDeliveriesStore,
    private readonly events: MemoryEventsStore,
    private readonly now: () => number,
  ) {
    super();
  }

  async look({ background, reconciled }: WorkAccounts, withinMs: number): Promise<DueWork> {
    const now = this.now();
    let nextMs = Number.POSITIVE_INFINITY;
    const due = <T extends Waiting>(waiting: readonly T[]): T[] =>
      waiting.filter(({ dueAt, claimedUntil }) => {
        const leftMs = Math.max(dueAt, claimedUntil) - now;
        if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
        return leftMs <= 0;
      });
    const { operations, deliveries, events } = this;
    const isAny = (accounts: readonly string[], waiting: (account: string) => Waiting[]): boolean =>
      due(accounts.flatMap(waiting)).length > 0;
    const calls = background.flatMap((account) => {
      const listeners = due(events.of(account).waiting()).map(({ listener }) => listener);
      return [...new Set(listeners)].map((listener) => ({ account, listener }));
    });
    return {
      callbacks: isAny(background, (account) => deliveries.of(account).waiting('callback')),
      webhooks: isAny(background, (account) => deliveries.of(account).waiting('webhook')),
      open: isAny(reconciled, (account) => operations.of(account).waiting(false)),
      followed: isAny(reconciled, (account) => operations.of(account).waiting(true)),
      calls,
      nextMs: nextMs <= withinMs ? nextMs : null,
    };
  }
}
