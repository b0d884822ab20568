import {
  Module,
  type ClassProvider,
  type DynamicModule,
  type ExistingProvider,
  type FactoryProvider,
  type Type,
} from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { callbacksController } from './deliveries/deliveries.controller.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { EventsService } from './events/events.service.js';
import { PaymentLinksService } from './operations/payment-links/payment-links.service.js';
import { PaymentsService } from './operations/payments/payments.service.js';
import { PayoutsService } from './operations/payouts/payouts.service.js';
import { RefundsService } from './operations/refunds/refunds.service.js';
import { PaymentsCoreModule } from './payments-core.module.js';
import { KnownAccounts } from './known.accounts.js';
import {
  ACCOUNT_NAME,
  accountToken,
  CHOSEN_STORE,
  PAYMENTS_OPTIONS,
} from './payments.constants.js';
import { DEFAULT_ACCOUNT, DEFAULT_PATH } from './payments.defaults.js';
import {
  ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  OPTIONS_TYPE,
  type PaymentsModuleExtras,
} from './payments.module-definition.js';
import { PaymentsConfigurationError } from './payments.errors.js';
import type { PaymentsOptions } from './payments.options.js';
import { PAYMENTS_SETTINGS, type PaymentsSettings } from './payments.settings.js';
import type { PaymentsStore } from './payments.store.js';
import { ReconciliationService } from './reconciliation/reconciliation.service.js';
import { SweepsService } from './reconciliation/sweeps.service.js';
import { ExternalRecipientsService } from './resources/external-recipients/external-recipients.service.js';
import { IncomingPaymentsService } from './resources/incoming-payments/incoming-payments.service.js';
import { MerchantBankAccountsService } from './resources/merchant-bank-accounts/merchant-bank-accounts.service.js';
import { MerchantWalletsService } from './resources/merchant-wallets/merchant-wallets.service.js';
import { PayService } from './resources/pay/pay.service.js';
import { BarePaymentLinksService } from './resources/payment-links/bare-payment-links.service.js';
import { PollingService } from './resources/polling/polling.service.js';
import { Resources, type AccountResources } from './resources/resources.js';
import { ReversalsService } from './resources/reversals/reversals.service.js';
import { SendMoneyService } from './resources/send-money/send-money.service.js';
import { SettlementTransfersService } from './resources/settlement-transfers/settlement-transfers.service.js';
import { SmsNotificationsService } from './resources/sms-notifications/sms-notifications.service.js';
import { TokensService } from './resources/tokens/tokens.service.js';
import { WebhookSubscriptionsService } from './resources/webhook-subscriptions/webhook-subscriptions.service.js';
import { resolveSettings } from './settings.reader.js';
import { ApplicationStore } from './stores/application.store.js';
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

/** The services that a host injects. Each works for its account; the objects behind them are one set for all accounts. */
const ACCOUNT_SERVICES: readonly (FactoryProvider | Type)[] = [
  PaymentsService,
  PayoutsService,
  RefundsService,
  PaymentLinksService,
  ReconciliationService,
  DeliveriesService,
  EventsService,
  SweepsService,
  resource(TokensService, ({ tokens }) => tokens),
  resource(IncomingPaymentsService, ({ incomingPayments }) => incomingPayments),
  resource(PollingService, ({ polling }) => polling),
  resource(SendMoneyService, ({ sendMoney }) => sendMoney),
  resource(ReversalsService, ({ reversals }) => reversals),
  resource(BarePaymentLinksService, ({ paymentLinks }) => paymentLinks),
  resource(
    ExternalRecipientsService,
    ({ client, settings }) => new ExternalRecipientsService(client, settings),
  ),
  resource(MerchantBankAccountsService, ({ client }) => new MerchantBankAccountsService(client)),
  resource(
    MerchantWalletsService,
    ({ client, settings }) => new MerchantWalletsService(client, settings),
  ),
  resource(SettlementTransfersService, ({ settlementTransfers }) => settlementTransfers),
  resource(PayService, ({ pay }) => pay),
  resource(SmsNotificationsService, ({ smsNotifications }) => smsNotifications),
  resource(
    WebhookSubscriptionsService,
    ({ client, urls, settings }) => new WebhookSubscriptionsService(client, urls, settings),
  ),
];

/** The class that a host names to inject a service. */
const classOf = (service: FactoryProvider | Type): Type =>
  'provide' in service ? (service.provide as Type) : service;

/**
 * Mobile-money payments for a NestJS application.
 * @example
 * \@Module({ imports: [PaymentsModule.forRoot()] })   // everything from PAYMENTS_*
 * export class AppModule {}
 * @publicApi
 */
@Module({
  // What a module gets that imports the class itself. Without it, Nest would only say that a service cannot be resolved.
  providers: ACCOUNT_SERVICES.map((service) => ({
    provide: classOf(service),
    useFactory: refuseWithoutOptions,
  })),
  exports: ACCOUNT_SERVICES.map(classOf),
})
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

/** The module of one account. */
@Module({})
class PaymentsAccountModule {}

function refuseWithoutOptions(): never {
  throw new PaymentsConfigurationError([
    'a module imports PaymentsModule itself: import PaymentsModule.forRoot() once, in the root module. Other modules need no import, ' +
      'because PaymentsModule.forRoot() is global',
  ]);
}

/** Adds to what the builder made; never replaces it. */
function complete(definition: DynamicModule, extras: PaymentsModuleExtras): DynamicModule {
  const account = extras.account ?? DEFAULT_ACCOUNT;
  const path = extras.path ?? process.env['PAYMENTS_PATH'] ?? DEFAULT_PATH;
  const services = ACCOUNT_SERVICES.flatMap((service) => serviceOf(service, account));
  return {
    ...definition,
    module: PaymentsAccountModule,
    global: extras.global ?? true,
    imports: [...(definition.imports ?? []), PaymentsCoreModule],
    controllers: [callbacksController(account, path, extras.controllerDecorators ?? [])],
    providers: [
      ...(definition.providers ?? []),
      { provide: ACCOUNT_NAME, useValue: account },
      settingsOf(account, path),
      {
        provide: PaymentsAccount,
        inject: [PAYMENTS_SETTINGS, CHOSEN_STORE],
        useFactory: accountOf,
      },
      ...services,
    ],
    exports: services.map((service) => ('provide' in service ? service.provide : service)),
  };
}

/**
 * The providers of a service. Its class is the injection token of the default account only: with several accounts, a class could mean
 * any of them, and `app.get(PaymentsService)` would charge for the one that was imported last.
 */
function serviceOf(
  service: FactoryProvider | Type,
  account: string,
): (FactoryProvider | ClassProvider | ExistingProvider | Type)[] {
  const named = accountToken(classOf(service), account);
  if (account === DEFAULT_ACCOUNT)
    return [service, { provide: named, useExisting: classOf(service) }];
  return [
    'provide' in service ? { ...service, provide: named } : { provide: named, useClass: service },
  ];
}

function settingsOf(account: string, path: string): FactoryProvider<PaymentsSettings> {
  return {
    provide: PAYMENTS_SETTINGS,
    inject: [
      PAYMENTS_OPTIONS,
      KnownAccounts,
      ApplicationStore,
      { token: ConfigService, optional: true },
    ],
    useFactory: (
      options: PaymentsOptions,
      accounts: KnownAccounts,
      store: ApplicationStore,
      config?: ConfigService,
    ) => {
      const read = (name: string): string | undefined => {
        const value: unknown = config?.get(name) ?? process.env[name];
        return value === undefined || value === null ? undefined : String(value as string | number);
      };
      const settings = resolveSettings({ ...options, account }, read, path);
      accounts.add(settings);
      store.note(account, options.store);
      return settings;
    },
  };
}

function resource<T>(
  provide: abstract new (...args: never[]) => T,
  serviceOf: (resources: AccountResources) => T,
): FactoryProvider<T> {
  return {
    provide,
    inject: [Resources, PAYMENTS_SETTINGS],
    useFactory: (resources: Resources, { account }: PaymentsSettings) =>
      serviceOf(resources.of(account)),
  };
}

function accountOf(
  { account, path, defaultCountry }: PaymentsSettings,
  store: PaymentsStore,
): PaymentsAccount {
  return {
    name: account,
    path,
    store,
    toInternationalPhone: (text) => toInternationalPhone(text, defaultCountry),
  };
}
