import type { AccountsStore } from './store/accounts.store.js';
import type { AnomaliesStore } from './store/anomalies.store.js';
import type { DeliveriesStore } from './store/deliveries.store.js';
import type { EventsStore } from './store/events.store.js';
import type { BareRequestsStore } from './store/bare-requests.store.js';
import type { LedgerStore } from './store/ledger.store.js';
import type { NewOperationRecord, OperationRecord } from './operations/operation-forms.js';
import type { OperationsStore } from './store/operations.store.js';
import type { RetentionStore } from './store/retention.store.js';
import type { StatisticsStore, TotalsStore } from './store/statistics.store.js';
import type { DueWorkStore, PlannedWorkStore, SweepsStore } from './store/due-work.store.js';
import type { PausesStore } from './store/pauses.store.js';
import type { TokensStore } from './store/tokens.store.js';
import type { TransactionsStore } from './store/transactions.store.js';

/**
 * The store: one small store for each subject, declared in the subject's folder. This class is the injection token that hosts
 * and store packages provide. One contract suite tests every implementation.
 *
 * All durations are milliseconds. All times come from the store's clock, so that replicas with wrong clocks agree. Every
 * method may throw `StoreUnavailableError`; then it has changed nothing.
 * @example
 * PaymentsModule.forRoot({ store: new MemoryStore() })
 * @publicApi
 */
export abstract class PaymentsStore {
  abstract readonly operations: OperationsStore<OperationRecord, NewOperationRecord>;
  abstract readonly ledger: LedgerStore;
  abstract readonly transactions: TransactionsStore;
  abstract readonly bareRequests: BareRequestsStore;
  abstract readonly deliveries: DeliveriesStore;
  abstract readonly events: EventsStore;
  abstract readonly dueWork: DueWorkStore;
  abstract readonly plannedWork: PlannedWorkStore;
  abstract readonly pauses: PausesStore;
  abstract readonly sweeps: SweepsStore;
  abstract readonly tokens: TokensStore;
  abstract readonly accounts: AccountsStore;
  abstract readonly anomalies: AnomaliesStore;
  abstract readonly retention: RetentionStore;
  abstract readonly statistics: StatisticsStore;
  abstract readonly totals: TotalsStore;

  /** Prepares the store now. Every method does that by itself; a call at the start finds a wrong schema early. */
  abstract init(): Promise<void>;
}
