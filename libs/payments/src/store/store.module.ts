import { Global, Module, type FactoryProvider } from '@nestjs/common';
import { OperationsStore } from './operations.store.js';
import { LedgerStore } from './ledger.store.js';
import { TransactionsStore } from './transactions.store.js';
import { BareRequestsStore } from './bare-requests.store.js';
import { DeliveriesStore } from './deliveries.store.js';
import { EventsStore } from './events.store.js';
import { DueWorkStore } from './due-work.store.js';
import { PlannedWorkStore } from './planned-work.store.js';
import { PausesStore } from './pauses.store.js';
import { SweepsStore } from './sweeps.store.js';
import { TokensStore } from './tokens.store.js';
import { AccountsStore } from './accounts.store.js';
import { AnomaliesStore } from './anomalies.store.js';
import { RetentionStore } from './retention.store.js';
import { StatisticsStore } from './statistics.store.js';
import { CountedAnomalies } from './counted-anomalies.js';
import type { PaymentsStore } from './payments.store.js';

/** Injection token of the store that serves all accounts of the application. */
export const CHOSEN_STORE = Symbol('CHOSEN_STORE');

/** One small store for each subject: services inject these, and never the group. */
const STORES: readonly FactoryProvider[] = [
  storeOf(OperationsStore, ({ operations }) => operations),
  storeOf(LedgerStore, ({ ledger }) => ledger),
  storeOf(TransactionsStore, ({ transactions }) => transactions),
  storeOf(BareRequestsStore, ({ bareRequests }) => bareRequests),
  storeOf(DeliveriesStore, ({ deliveries }) => deliveries),
  storeOf(EventsStore, ({ events }) => events),
  storeOf(DueWorkStore, ({ dueWork }) => dueWork),
  storeOf(PlannedWorkStore, ({ plannedWork }) => plannedWork),
  storeOf(PausesStore, ({ pauses }) => pauses),
  storeOf(SweepsStore, ({ sweeps }) => sweeps),
  storeOf(TokensStore, ({ tokens }) => tokens),
  storeOf(AccountsStore, ({ accounts }) => accounts),
  storeOf(AnomaliesStore, ({ anomalies }) => new CountedAnomalies(anomalies)),
  storeOf(RetentionStore, ({ retention }) => retention),
  storeOf(StatisticsStore, ({ statistics }) => statistics),
];

function storeOf<T>(
  provide: abstract new (...args: never[]) => T,
  useFactory: (store: PaymentsStore) => T,
): FactoryProvider<T> {
  return { provide, inject: [CHOSEN_STORE], useFactory };
}

/**
 * What the house keeps: one small abstract class for each subject, the records and events that it is asked for, and the store in memory.
 * `@tillkit/postgres` implements the same classes, and one contract suite tests both.
 *
 * It must never decide anything about money: it compares and sets.
 */
@Global()
@Module({ providers: [...STORES], exports: STORES.map(({ provide }) => provide) })
export class PaymentsStoreModule {}
