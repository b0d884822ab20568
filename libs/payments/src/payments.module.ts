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
import { callbacksController } from './callbacks/callbacks.controller.js';
import { DeliveryGuard } from './callbacks/delivery.guard.js';
import { MismatchDiagnosis } from './callbacks/mismatch.diagnosis.js';
import { PaymentsRoutesModule } from './callbacks/payments-routes.module.js';
import { ROUTE_PATH, SignedCallbackUrls } from './callbacks/signed-callback-urls.js';
import { EmitterListener } from './events/emitter.listener.js';
import { EventDispatcher } from './events/event.dispatcher.js';
import { ListenersExplorer } from './events/listeners.explorer.js';
import { BackgroundPacer } from './http/background.pacer.js';
import { ClosingSignal } from './http/closing.signal.js';
import { PlatformClock } from './http/platform.clock.js';
import { PlatformHttp } from './http/platform.http.js';
import { DeliveryProcessor } from './inbox/delivery.processor.js';
import { Inbox } from './inbox/inbox.js';
import { HintedSweeps } from './inbox/hinted.sweeps.js';
import { OversizedCallbacks } from './inbox/oversized.callbacks.js';
import { ResultSettler } from './inbox/result.settler.js';
import { WebhookSettler } from './inbox/webhook.settler.js';
import { LedgerFeed } from './ledger/ledger.feed.js';
import { Ledger } from './ledger/ledger.js';
import { PaymentReader } from './ledger/payment.reader.js';
import { PaymentSender } from './ledger/payment.sender.js';
import { PaymentsService } from './ledger/payments.service.js';
import { PaymentsStore } from './ledger/payments.store.js';
import { ReconciliationReporter } from './ledger/reconciliation.report.js';
import { StoredTokenVault } from './ledger/stored-token.vault.js';
import { StoredBareRequests } from './ledger/stored-bare-requests.js';
import { TillSweeper } from './ledger/till.sweeper.js';
import { TillTransactionsService } from './ledger/till-transactions.service.js';
import {
  accountToken,
  DEFAULT_ACCOUNT,
  DEFAULT_PATH,
  PAYMENTS_OPTIONS,
  RESOLVED_OPTIONS,
} from './payments.constants.js';
import { PaymentsAccounts } from './callbacks/payments-accounts.js';
import {
  ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  OPTIONS_TYPE,
  type PaymentsModuleExtras,
} from './payments.module-definition.js';
import type { PaymentsOptions, ResolvedPaymentsOptions } from './payments.options.js';
import { Runtime } from './runtime/runtime.js';
import { resolveSettings } from './payments.settings.js';
import { DefaultStore } from './ledger/default.store.js';
import { OverduePaymentsReconciler } from './reconciliation/overdue-payments.reconciler.js';
import { PaymentMatcher } from './reconciliation/payment.matcher.js';
import { RetentionSchedule } from './reconciliation/retention.schedule.js';
import { SettledPaymentsFollower } from './reconciliation/settled-payments.follower.js';
import { SweepSchedule } from './reconciliation/sweep.schedule.js';
import { BareRequests } from './resources/bare-requests.js';
import { CallbackUrls } from './resources/callback-urls.js';
import { IncomingPaymentsService } from './resources/incoming-payments/incoming-payments.service.js';
import { PlatformClient } from './resources/platform.client.js';
import { PollingWindowsReader } from './resources/polling/polling-windows.reader.js';
import { PollingService } from './resources/polling/polling.service.js';
import { SmsNotificationsService } from './resources/sms-notifications/sms-notifications.service.js';
import { TokenVault } from './resources/tokens/token.vault.js';
import { TokensService } from './resources/tokens/tokens.service.js';
import { WebhookSubscriptionsService } from './resources/webhook-subscriptions/webhook-subscriptions.service.js';
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
  Inbox,
  EventDispatcher,
  SweepSchedule,
];

const INNER_SERVICES: readonly Provider[] = [
  Runtime,
  ClosingSignal,
  PlatformClock,
  PlatformHttp,
  PlatformClient,
  BackgroundPacer,
  PollingWindowsReader,
  LedgerFeed,
  Ledger,
  PaymentSender,
  PaymentReader,
  TillTransactionsService,
  ReconciliationReporter,
  ResultSettler,
  HintedSweeps,
  WebhookSettler,
  OversizedCallbacks,
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
  { provide: TokenVault, useClass: StoredTokenVault },
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
      accountOf(path),
    ],
    exports: [...named.map(({ provide }) => provide), ...(isDefault ? PUBLIC_SERVICES : [])],
  };
}

function resolvedOptions(account: string, path: string): FactoryProvider<ResolvedPaymentsOptions> {
  return {
    provide: RESOLVED_OPTIONS,
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

/** The account's own store, else the application's, else this process's memory. */
function storeOf(): FactoryProvider<PaymentsStore> {
  return {
    provide: PaymentsStore,
    inject: [RESOLVED_OPTIONS, DefaultStore],
    useFactory: (options: ResolvedPaymentsOptions, fallback: DefaultStore) =>
      options.store ?? fallback.get(),
  };
}

function accountOf(path: string): FactoryProvider<PaymentsAccount> {
  return {
    provide: PaymentsAccount,
    inject: [RESOLVED_OPTIONS, PaymentsStore],
    useFactory: (
      { account, defaultCountry }: ResolvedPaymentsOptions,
      store: PaymentsStore,
    ): PaymentsAccount => ({
      name: account,
      path,
      store,
      toInternationalPhone: (text) => toInternationalPhone(text, defaultCountry),
    }),
  };
}
