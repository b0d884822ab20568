import { PaymentsStore } from '../payments.store.js';
import { MemoryAccountsStore } from './memory-accounts.store.js';
import { MemoryAnomaliesStore } from './memory-anomalies.store.js';
import { MemoryBareRequestsStore } from './memory-bare-requests.store.js';
import { MemoryDeliveriesStore } from './memory-deliveries.store.js';
import {
  MemoryDueWorkStore,
  MemoryPlannedWorkStore,
  MemorySweepsStore,
} from './memory-due-work.store.js';
import { MemoryEventsStore } from './memory-events.store.js';
import { MemoryLedgerStore } from './memory-ledger.store.js';
import { MemoryOperationsStore } from './memory-operations.store.js';
import { MemoryRetentionStore } from './memory-retention.store.js';
import { MemoryStatisticsStore } from './memory-statistics.store.js';
import { MemoryTokensStore } from './memory-tokens.store.js';
import { MemoryTotals, MemoryTotalsStore } from './memory-totals.store.js';
import { MemoryPausesStore } from './memory-pauses.store.js';
import { MemoryTransactionsStore } from './memory-transactions.store.js';
import { Concealed } from '../runtime/validate-input.js';

/**
 * A store in the memory of this process, for development and tests. It keeps every promise while the process lives. A restart loses
 * payments, idempotency keys and completed calls: use `@tillkit/postgres` in production.
 * @example
 * PaymentsModule.forRoot({ store: new MemoryStore() })
 * @see docs/promises.md
 * @publicApi
 */
@Concealed()
export class MemoryStore extends PaymentsStore {
  readonly operations: MemoryOperationsStore;
  readonly ledger: MemoryLedgerStore;
  readonly transactions = new MemoryTransactionsStore();
  readonly bareRequests: MemoryBareRequestsStore;
  readonly deliveries: MemoryDeliveriesStore;
  readonly events: MemoryEventsStore;
  readonly dueWork: MemoryDueWorkStore;
  readonly plannedWork: MemoryPlannedWorkStore;
  readonly pauses: MemoryPausesStore;
  readonly sweeps: MemorySweepsStore;
  readonly tokens: MemoryTokensStore;
  readonly accounts: MemoryAccountsStore;
  readonly anomalies: MemoryAnomaliesStore;
  readonly retention: MemoryRetentionStore;
  readonly statistics: MemoryStatisticsStore;
  readonly totals: MemoryTotalsStore;

  /** @param now the store's clock, in epoch milliseconds; a test can pass its own */
  constructor(now: () => number = Date.now) {
    super();
    this.pauses = new MemoryPausesStore(now);
    this.operations = new MemoryOperationsStore(this.pauses, now);
    this.bareRequests = new MemoryBareRequestsStore(now);
    const totals = new MemoryTotals();
    this.deliveries = new MemoryDeliveriesStore(totals, now);
    this.events = new MemoryEventsStore(now);
    this.plannedWork = new MemoryPlannedWorkStore(now);
    this.sweeps = new MemorySweepsStore(now);
    this.tokens = new MemoryTokensStore(now);
    this.anomalies = new MemoryAnomaliesStore(now);
    const { operations, transactions, deliveries, events, plannedWork } = this;
    this.accounts = new MemoryAccountsStore(operations, deliveries, events, now);
    this.ledger = new MemoryLedgerStore(operations, transactions, deliveries, events, totals, now);
    this.dueWork = new MemoryDueWorkStore(operations, deliveries, events, plannedWork, now);
    const { anomalies, bareRequests, pauses } = this;
    this.retention = new MemoryRetentionStore(
      operations,
      transactions,
      deliveries,
      events,
      { anomalies, bareRequests, totals, pauses },
      now,
    );
    this.totals = new MemoryTotalsStore(totals, operations);
    this.statistics = new MemoryStatisticsStore(operations, deliveries, events, now);
  }

  async init(): Promise<void> {}
}
