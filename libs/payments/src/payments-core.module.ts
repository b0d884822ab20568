import { HttpModule } from '@nestjs/axios';
import { Global, Module, type FactoryProvider, type Provider } from '@nestjs/common';
import { DiscoveryModule, ModulesContainer } from '@nestjs/core';
import { AccountClaimsService } from './accounts/account-claims.service.js';
import { AccountHandles } from './account.handles.js';
import { AccountLoader } from './added-accounts/account.loader.js';
import { StoredNames } from './added-accounts/stored.names.js';
import { AccountOpenings } from './added-accounts/account.openings.js';
import { AccountRemovals } from './added-accounts/account.removals.js';
import { AddedAccounts } from './added-accounts/added.accounts.js';
import { PaymentsAccounts } from './payments.accounts.js';
import { AccountsStore } from './accounts/accounts.store.js';
import { AnomaliesStore } from './anomalies/anomalies.store.js';
import { CountedAnomalies } from './anomalies/counted.anomalies.js';
import { CallbackResultsService } from './deliveries/callback-results.service.js';
import { DeliveriesStore } from './deliveries/deliveries.store.js';
import { DeliveryAdmission } from './deliveries/delivery.admission.js';
import { DeliveryHandover } from './deliveries/delivery.handover.js';
import { DeliveryProcessor } from './deliveries/delivery.processor.js';
import { Inbox } from './deliveries/inbox.service.js';
import { NearMisses } from './deliveries/routes/near-misses.js';
import { RefusalLog } from './deliveries/refusal.log.js';
import { RawBodyCapture } from './deliveries/routes/raw-body.capture.js';
import { RouteRegistry } from './deliveries/routes/route.registry.js';
import { SignedCallbackUrls } from './deliveries/signed-callback-urls.js';
import { WebhookConfirmations } from './deliveries/webhook-confirmations.service.js';
import { PromptChangesService } from './deliveries/prompt-changes.service.js';
import { WebhookNoticesService } from './deliveries/webhook-notices.service.js';
import { WebhookTransactionsService } from './deliveries/webhook-transactions.service.js';
import { EmitterListener } from './events/emitter.listener.js';
import { EventDispatcher } from './events/event.dispatcher.js';
import { EventsStore } from './events/events.store.js';
import { ListenersExplorer } from './events/listeners.explorer.js';
import { BackgroundRequests } from './http/background-requests.js';
import { PlatformClocks } from './http/platform.clock.js';
import { PlatformHttp } from './http/platform.http.js';
import { BareRequestsStore } from './ledger/bare-requests.store.js';
import { CreateAnswersService } from './ledger/create-answers.service.js';
import { Ledger } from './ledger/ledger.js';
import { KnownRecords } from './ledger/known.records.js';
import { LedgerCommits } from './ledger/ledger.commits.js';
import { OwnCalls } from './ledger/own-calls.js';
import { LedgerSignals } from './ledger/ledger.signals.js';
import { LedgerStore } from './ledger/ledger.store.js';
import { OperationEvidenceService } from './ledger/operation-evidence.service.js';
import { OperationKinds } from './ledger/operation.kind.js';
import { OperationReader } from './ledger/operation.reader.js';
import { OperationSender } from './ledger/operation.sender.js';
import { OperationTools } from './ledger/operations.service.js';
import { OperationsStore } from './ledger/operations.store.js';
import { WatchedOperations } from './ledger/watched-operations.js';
import { StoredBareRequests } from './ledger/stored-bare-requests.js';
import { PaymentKind } from './operations/payments/payment.kind.js';
import { PaymentLinkKind } from './operations/payment-links/payment-link.kind.js';
import { PayoutKind } from './operations/payouts/payout.kind.js';
import { RefundKind } from './operations/refunds/refund.kind.js';
import { KnownAccounts } from './known.accounts.js';
import { ACCOUNT_NAME, CHOSEN_STORE } from './payments.constants.js';
import type { PaymentsStore } from './payments.store.js';
import { MissingCallbacksService } from './reconciliation/missing-callbacks.service.js';
import { OverdueOperationsReconciler } from './reconciliation/overdue-operations.reconciler.js';
import { RetentionSchedule } from './retention/retention.schedule.js';
import { RetentionStore } from './retention/retention.store.js';
import { SettledOperationsFollower } from './reconciliation/settled-operations.follower.js';
import { StatisticsStore } from './reconciliation/statistics.store.js';
import { SweepSchedule } from './reconciliation/sweep.schedule.js';
import { SweepsStore } from './reconciliation/sweeps.store.js';
import { WaitingWorkService } from './reconciliation/waiting-work.service.js';
import { WorkGauges } from './reconciliation/work.gauges.js';
import { BareRequests } from './resources/bare-requests.js';
import { CallbackUrls } from './resources/callback-urls.js';
import { Resources } from './resources/resources.js';
import { TokensStore } from './resources/tokens/tokens.store.js';
import { DueWorkStore } from './runtime/due-work.store.js';
import { PausesStore } from './runtime/pauses.store.js';
import { PlatformWaits } from './http/platform.waits.js';
import { PlannedWorkStore } from './runtime/planned-work.store.js';
import { Runtime } from './runtime/runtime.js';
import { ShutdownSignal } from './runtime/shutdown.signal.js';
import { WorkLookout } from './runtime/work.lookout.js';
import { ApplicationStore } from './stores/application.store.js';
import { PaymentMatcher } from './tills/payment.matcher.js';
import { TillTransactionsService } from './tills/till-transactions.service.js';
import { TillLedger } from './tills/till.ledger.js';
import { OwnTills } from './tills/own.tills.js';
import { TillSweeper } from './tills/till.sweeper.js';
import { TransactionObserver } from './transactions/observed-transaction.js';
import { TransactionDifferences } from './transactions/transaction.differences.js';
import { TransactionsStore } from './transactions/transactions.store.js';

/** The kinds of operations. Adding a kind adds one line here. */
const KINDS: FactoryProvider<OperationKinds> = {
  provide: OperationKinds,
  inject: [Resources],
  useFactory: (resources: Resources) =>
    new OperationKinds([
      new PaymentKind(resources),
      new PayoutKind(resources),
      new RefundKind(resources),
      new PaymentLinkKind(resources),
    ]),
};

const SERVICES: readonly Provider[] = [
  Runtime,
  ShutdownSignal,
  KnownAccounts,
  WorkLookout,
  ApplicationStore,
  AccountClaimsService,
  RouteRegistry,
  RawBodyCapture,
  PlatformClocks,
  PlatformHttp,
  PlatformWaits,
  BackgroundRequests,
  Resources,
  { provide: CallbackUrls, useClass: SignedCallbackUrls },
  { provide: BareRequests, useClass: StoredBareRequests },
  TransactionDifferences,
  KINDS,
  LedgerSignals,
  WatchedOperations,
  KnownRecords,
  LedgerCommits,
  Ledger,
  CreateAnswersService,
  OperationEvidenceService,
  OperationSender,
  OperationReader,
  OperationTools,
  TillLedger,
  { provide: TransactionObserver, useExisting: TillLedger },
  TillTransactionsService,
  TillSweeper,
  OwnTills,
  PaymentMatcher,
  Inbox,
  RefusalLog,
  NearMisses,
  DeliveryAdmission,
  CallbackResultsService,
  WebhookConfirmations,
  WebhookTransactionsService,
  WebhookNoticesService,
  PromptChangesService,
  DeliveryProcessor,
  DeliveryHandover,
  ListenersExplorer,
  EmitterListener,
  EventDispatcher,
  { provide: OwnCalls, useExisting: EventDispatcher },
  SweepSchedule,
  MissingCallbacksService,
  OverdueOperationsReconciler,
  SettledOperationsFollower,
  WaitingWorkService,
  WorkGauges,
  RetentionSchedule,
  AddedAccounts,
  AccountOpenings,
  AccountRemovals,
  AccountLoader,
  StoredNames,
  AccountHandles,
  PaymentsAccounts,
];

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
 * The one object graph of an application. Every account's module imports it, so that Nest makes each of these objects once; what
 * they work on names its account. It is global, because Nest initialises global modules first: the dispatcher registers the listeners
 * before a module of the host can request a payment.
 * @see docs/decisions/0017-one-object-graph-for-all-accounts.md
 */
@Global()
@Module({
  imports: [HttpModule.register({}), DiscoveryModule],
  providers: [
    {
      provide: CHOSEN_STORE,
      inject: [ApplicationStore, ModulesContainer],
      useFactory: (store: ApplicationStore, modules: ModulesContainer) =>
        store.chosen(namesOfAccounts(modules)),
    },
    ...STORES,
    ...SERVICES,
  ],
  exports: [
    CHOSEN_STORE,
    OperationsStore,
    TransactionsStore,
    DeliveriesStore,
    EventsStore,
    RetentionStore,
    Runtime,
    KnownAccounts,
    AddedAccounts,
    AccountHandles,
    PaymentsAccounts,
    ApplicationStore,
    Resources,
    Ledger,
    LedgerSignals,
    WatchedOperations,
    OperationTools,
    OperationReader,
    PlatformClocks,
    Inbox,
    DeliveryAdmission,
    EventDispatcher,
    SweepSchedule,
    BackgroundRequests,
    WaitingWorkService,
  ],
})
export class PaymentsCoreModule {}

/** The module of each account provides the name of its account. */
function namesOfAccounts(modules: ModulesContainer): string[] {
  return [...modules.values()]
    .map(({ providers }) => providers.get(ACCOUNT_NAME)?.instance as unknown)
    .filter((name) => typeof name === 'string');
}
