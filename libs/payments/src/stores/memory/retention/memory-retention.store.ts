import {
  RetentionStore,
  type RetentionPolicy,
  type RetentionResult,
} from '../../../retention/retention.store.js';
import { MATCHED_FOR_MS } from '../../../runtime/backoff.js';
import type { MemoryDeliveriesStore } from '../deliveries/memory-deliveries.store.js';
import type { MemoryEventsStore } from '../events/memory-events.store.js';
import type { MemoryOperationsStore } from '../operations/memory-operations.store.js';
import type { MemoryTransactionsStore } from '../transactions/memory-transactions.store.js';

export class MemoryRetentionStore extends RetentionStore {
  constructor(
    private readonly operations: MemoryOperationsStore,
    private readonly transactions: MemoryTransactionsStore,
    private readonly deliveries: MemoryDeliveriesStore,
    private readonly events: MemoryEventsStore,
    private readonly now: () => number,
  ) {
    super();
  }

  async apply(account: string, policy: RetentionPolicy): Promise<RetentionResult> {
    const { personalDataMs, dedupeForMs, limit } = policy;
    const deliveries = this.deliveries.of(account).deleteOld(personalDataMs, limit);
    const limits = { personalDataMs, dedupeForMs, matchedForMs: MATCHED_FOR_MS };
    const { redacted, deleted } = this.operations
      .of(account)
      .applyRetention({ ...limits, limit: limit * 2 - deliveries });
    this.transactions.applyRetention(account, this.now(), limits);
    this.events.of(account).applyRetention({ personalDataMs, dedupeForMs });
    return { redacted: redacted + deliveries, deleted };
  }
}
