import { PaymentsStore } from '../payments.store.js';
import { MemoryAccountsStore } from './accounts/memory-accounts.store.js';
import { MemoryAnomaliesStore } from './anomalies/memory-anomalies.store.js';
import { MemoryBareRequestsStore } from './bare-requests/memory-bare-requests.store.js';
import { MemoryDeliveriesStore } from './deliveries/memory-deliveries.store.js';
import { MemoryDueWorkStore } from './due-work/memory-due-work.store.js';
import { MemoryEventsStore } from './events/memory-events.store.js';
import { MemoryLedgerStore } from './ledger/memory-ledger.store.js';
import { MemoryOperationsStore } from './operations/memory-operations.store.js';
import { MemoryPlannedWorkStore } from './planned-work/memory-planned-work.store.js';
import { MemoryRetentionStore } from './retention/memory-retention.store.js';
import { MemoryStatisticsStore } from './statistics/memory-statistics.store.js';
import { MemorySweepsStore } from './sweeps/memory-sweeps.store.js';
import { MemoryTokensStore } from './tokens/memory-tokens.store.js';
import { MemoryTotals, MemoryTotalsStore } from './totals/memory-totals.store.js';
import { MemoryPausesStore } from './pauses/memory-pauses.store.js';
import { MemoryTransactionsStore } from './transactions/memory-transactions.store.js';
import { Concealed } from '../../work/concealed.decorator.js';

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
