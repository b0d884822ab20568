import { HttpModule } from '@nestjs/axios';
import {
  Module,
  type DynamicModule,
  type FactoryProvider,
  type Provider,
  type Type,
} from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { DiscoveryModule } from '@nestjs/core';
import { AnomaliesStore } from './anomalies/anomalies.store.js';
import { CallbackResultsService } from './deliveries/callback-results.service.js';
import { callbacksController } from './deliveries/deliveries.controller.js';
import { DeliveriesStore } from './deliveries/deliveries.store.js';
import { DeliveryGuard } from './deliveries/delivery.guard.js';
import { DeliveryProcessor } from './deliveries/delivery.processor.js';
import { Inbox } from './deliveries/inbox.service.js';
import { MismatchDiagnosis } from './deliveries/mismatch.diagnosis.js';
import { OversizedCallbacksService } from './deliveries/oversized-callbacks.service.js';
import { ROUTE_PATH, SignedCallbackUrls } from './deliveries/signed-callback-urls.js';
import { WebhookConfirmations } from './deliveries/webhook-confirmations.service.js';
import { WebhookTransactionsService } from './deliveries/webhook-transactions.service.js';
import { EmitterListener } from './events/emitter.listener.js';
import { EventDispatcher } from './events/event.dispatcher.js';
import { EventsStore } from './events/events.store.js';
import { ListenersExplorer } from './events/listeners.explorer.js';
import { BackgroundRequests } from './http/background-requests.js';
import { PlatformClock } from './http/platform.clock.js';
import { PlatformHttp } from './http/platform.http.js';
import { BareRequestsStore } from './ledger/bare-requests.store.js';
import { CreateAnswersService } from './ledger/create-answers.service.js';
import { Ledger } from './ledger/ledger.js';
import { LedgerSignals } from './ledger/ledger.signals.js';
import { LedgerStore } from './ledger/ledger.store.js';
import { OperationKinds } from './ledger/operation.kind.js';
import { OperationsStore } from './ledger/operations.store.js';
import { StoredBareRequests } from './ledger/stored-bare-requests.js';
import { PaymentEvidenceService } from './operations/payments/payment-evidence.service.js';
import { PaymentKind } from './operations/payments/payment.kind.js';
import { PaymentReader } from './operations/payments/payment.reader.js';
import { PaymentSender } from './operations/payments/payment.sender.js';
import { PaymentsService } from './operations/payments/payments.service.js';
import { PaymentsRoutesModule } from './payments-routes.module.js';
import { PaymentsAccounts } from './payments.accounts.js';
import { accountToken, PAYMENTS_OPTIONS } from './payments.constants.js';
import { DEFAULT_ACCOUNT, DEFAULT_PATH } from './payments.defaults.js';
import {
  ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  OPTIONS_TYPE,
  type PaymentsModuleExtras,
} from './payments.module-definition.js';
import type { PaymentsOptions } from './payments.options.js';
import { PAYMENTS_SETTINGS, type PaymentsSettings } from './payments.settings.js';
import { PaymentsStore } from './payments.store.js';
import { OverduePaymentsReconciler } from './reconciliation/overdue-payments.reconciler.js';
import { ReconciliationService } from './reconciliation/reconciliation.service.js';
import { RetentionSchedule } from './reconciliation/retention.schedule.js';
import { RetentionStore } from './reconciliation/retention.store.js';
import { SettledPaymentsFollower } from './reconciliation/settled-payments.follower.js';
import { StatisticsStore } from './reconciliation/statistics.store.js';
import { SweepSchedule } from './reconciliation/sweep.schedule.js';
import { SweepsStore } from './reconciliation/sweeps.store.js';
import { BareRequests } from './resources/bare-requests.js';
import { CallbackUrls } from './resources/callback-urls.js';
import { IncomingPaymentsService } from './resources/incoming-payments/incoming-payments.service.js';
import { PlatformClient } from './resources/platform.client.js';
import { PollingWindowsService } from './resources/polling/polling-windows.service.js';
import { PollingService } from './resources/polling/polling.service.js';
import { SmsNotificationsService } from './resources/sms-notifications/sms-notifications.service.js';
import { TokenVault } from './resources/tokens/token.vault.js';
import { TokensService } from './resources/tokens/tokens.service.js';
import { TokensStore } from './resources/tokens/tokens.store.js';
import { WebhookSubscriptionsService } from './resources/webhook-subscriptions/webhook-subscriptions.service.js';
import { Runtime } from './runtime/runtime.js';
import { ShutdownSignal } from './runtime/shutdown.signal.js';
import { resolveSettings } from './settings.reader.js';
import { DefaultStore } from './stores/default.store.js';
import { PaymentMatcher } from './tills/payment.matcher.js';
import { TillTransactionsService } from './tills/till-transactions.service.js';
import { TillLedger } from './tills/till.ledger.js';
import { TillSweeper } from './tills/till.sweeper.js';
import { TransactionObserver } from './transactions/observed-transaction.js';
import { TransactionDifferences } from './transactions/transaction.differences.js';
import { TransactionsStore } from './transactions/transactions.store.js';
import { toInternationalPhone } from './values/phone-number.js';

/**
 * What a package beside this one works with, such as the dashboard: an account as it was set up, without its secrets.
 * @publicApi
 */
export abstract class PaymentsAccount {
  abstract readonly name: string;
  /** Path of its routes, below the host's global prefix. */
  abstract readonly path: string;
  abstract readonly store: PaymentsStore;
  /** The international form of a phone number as people of its country write it; null when it is none. */
  abstract toInternationalPhone(text: string): string | null;
}

/** The services that a host injects. */
const PUBLIC_SERVICES: readonly Type[] = [
  PaymentsService,
  TokensService,
  IncomingPaymentsService,
  WebhookSubscriptionsService,
  PollingService,
  SmsNotificationsService,
  ReconciliationService,
  Inbox,
  EventDispatcher,
  SweepSchedule,
];

const INNER_SERVICES: readonly Provider[] = [
  Runtime,
  ShutdownSignal,
  PlatformClock,
  PlatformHttp,
  PlatformClient,
  BackgroundRequests,
  PollingWindowsService,
  LedgerSignals,
  { provide: OperationKinds, useFactory: () => new OperationKinds([new PaymentKind()]) },
  TransactionDifferences,
  Ledger,
  CreateAnswersService,
  PaymentEvidenceService,
  TillLedger,
  { provide: TransactionObserver, useExisting: TillLedger },
  PaymentSender,
  PaymentReader,
  TillTransactionsService,
  CallbackResultsService,
  WebhookConfirmations,
  WebhookTransactionsService,
  OversizedCallbacksService,
  DeliveryProcessor,
  ListenersExplorer,
  EmitterListener,
  TillSweeper,
  PaymentMatcher,
  OverduePaymentsReconciler,
  SettledPaymentsFollower,
  RetentionSchedule,
  DeliveryGuard,
  MismatchDiagnosis,
  { provide: CallbackUrls, useClass: SignedCallbackUrls },
  TokenVault,
  { provide: BareRequests, useClass: StoredBareRequests },
];

/**
 * Mobile-money payments for a NestJS application.
 * @example
 * \@Module({ imports: [PaymentsModule.forRoot()] })   // everything from PAYMENTS_*
 * export class AppModule {}
 * @publicApi
 */
@Module({})
export class PaymentsModule extends ConfigurableModuleClass {
  /**
   * One account, from options and, where they say nothing, from `PAYMENTS_*`.
   * @throws PaymentsConfigurationError at start-up, naming every wrong setting with its cure
   */
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    return complete(super.forRoot(options), options);
  }

  /** One account, from a factory or class. `path`, `account` and `controllerDecorators` stand beside it. */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return complete(super.forRootAsync(options), options);
  }
}

/** Adds to what the builder made; never replaces it. */
function complete(definition: DynamicModule, extras: PaymentsModuleExtras): DynamicModule {
  const account = extras.account ?? DEFAULT_ACCOUNT;
  const path = extras.path ?? process.env['PAYMENTS_PATH'] ?? DEFAULT_PATH;
  const isDefault = account === DEFAULT_ACCOUNT;
  const named = [...PUBLIC_SERVICES, PaymentsAccount].map((service) => ({
    provide: accountToken(service, account),
    useExisting: service,
  }));
  return {
    ...definition,
    global: extras.global ?? true,
    imports: [
      ...(definition.imports ?? []),
      HttpModule.register({}),
      DiscoveryModule,
      PaymentsRoutesModule,
    ],
    controllers: [callbacksController(account, path, extras.controllerDecorators ?? [])],
    providers: [
      ...(definition.providers ?? []),
      ...PUBLIC_SERVICES,
      ...INNER_SERVICES,
      ...named,
      { provide: ROUTE_PATH, useValue: path },
      resolvedOptions(account, path),
      storeOf(),
      ...STORE_PORTS,
      accountOf(path),
    ],
    exports: [...named.map(({ provide }) => provide), ...(isDefault ? PUBLIC_SERVICES : [])],
  };
}

function resolvedOptions(account: string, path: string): FactoryProvider<PaymentsSettings> {
  return {
    provide: PAYMENTS_SETTINGS,
    inject: [PAYMENTS_OPTIONS, PaymentsAccounts, { token: ConfigService, optional: true }],
    useFactory: (options: PaymentsOptions, accounts: PaymentsAccounts, config?: ConfigService) => {
      const resolved = resolveSettings({ ...options, account }, (name) => {
        const value: unknown = config?.get(name) ?? process.env[name];
        return value === undefined || value === null ? undefined : String(value as string | number);
      });
      accounts.add(resolved, path);
      return resolved;
    },
  };
}

/** One small store for each subject: the parts inject these, and never the group. */
const STORE_PORTS: readonly FactoryProvider[] = [
  portOf(OperationsStore, ({ operations }) => operations),
  portOf(LedgerStore, ({ ledger }) => ledger),
  portOf(TransactionsStore, ({ transactions }) => transactions),
  portOf(BareRequestsStore, ({ bareRequests }) => bareRequests),
  portOf(DeliveriesStore, ({ deliveries }) => deliveries),
  portOf(EventsStore, ({ events }) => events),
  portOf(SweepsStore, ({ sweeps }) => sweeps),
  portOf(TokensStore, ({ tokens }) => tokens),
  portOf(AnomaliesStore, ({ anomalies }) => anomalies),
  portOf(RetentionStore, ({ retention }) => retention),
  portOf(StatisticsStore, ({ statistics }) => statistics),
];

function portOf<T>(
  provide: abstract new (...args: never[]) => T,
  useFactory: (store: PaymentsStore) => T,
): FactoryProvider<T> {
  return { provide, inject: [PaymentsStore], useFactory };
}

/** The account's own store, else the application's, else this process's memory. */
function storeOf(): FactoryProvider<PaymentsStore> {
  return {
    provide: PaymentsStore,
    inject: [PAYMENTS_OPTIONS, DefaultStore],
    useFactory: (options: PaymentsOptions, fallback: DefaultStore) =>
      options.store ?? fallback.get(),
  };
}

function accountOf(path: string): FactoryProvider<PaymentsAccount> {
  return {
    provide: PaymentsAccount,
    inject: [PAYMENTS_SETTINGS, PaymentsStore],
    useFactory: (
      { account, defaultCountry }: PaymentsSettings,
      store: PaymentsStore,
    ): PaymentsAccount => ({
      name: account,
      path,
      store,
      toInternationalPhone: (text) => toInternationalPhone(text, defaultCountry),
    }),
  };
}
