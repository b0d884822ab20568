import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  type ExistingProvider,
  type FactoryProvider,
  Global,
  Module,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { ModulesContainer } from '@nestjs/core';
import { ACCOUNT_SERVICES, type AccountService } from './account-services.js';
import { ACCOUNT_WORK, type AccountWork, AccountRegistry } from './accounts/account-registry.js';
import type { PaymentsModuleExtras } from './accounts/account.options.js';
import { PaymentsAccountsOfHostModule } from './accounts/accounts.module.js';
import {
  AddedAccounts,
  type PaymentsAccountsModuleOptions,
  PaymentsAccountsSource,
} from './accounts/added-accounts.js';
import { misspeltVariables, pathOf, type ReadVariable } from './accounts/environment-variables.js';
import { type CurrentSettings, PAYMENTS_SETTINGS } from './accounts/payments.settings.js';
import { resolveSettings } from './accounts/settings.reader.js';
import { riskText, startWarnings } from './accounts/start-risks.js';
import {
  ApplicationStore,
  CHOSEN_STORE,
  PaymentsStoreModule,
  refuseOtherStores,
} from './application.store.js';
import { callbacksController, placeRoutes } from './door/deliveries.controller.js';
import { PaymentsDoorModule } from './door/door.module.js';
import { EventDispatcher } from './listeners/event-dispatcher.js';
import { HostTransactions } from './listeners/host-transactions.js';
import { PaymentsListenersModule } from './listeners/listeners.module.js';
import { PaymentsOperationsModule } from './operations/operations.module.js';
import {
  ACCOUNT_NAME,
  AccountHandles,
  accountToken,
  ADDED_ACCOUNTS,
  PAYMENTS_OPTIONS,
  PaymentsAccount,
} from './payments-account.js';
import { PaymentsAccounts } from './payments-accounts.js';
import { DEFAULT_ACCOUNT } from './payments-defaults.js';
import { PaymentsConfigurationError } from './payments.errors.js';
import type { PaymentsOptions } from './payments.options.js';
import { PaymentsQueueModule } from './queue/queue.module.js';
import { RetentionSchedule } from './round/retention.js';
import { PaymentsRoundModule } from './round/round.module.js';
import { SweepSchedule } from './round/sweeps.service.js';
import { type BaseWithSource, sourceProblem, type WithSource } from './runtime/async-options.js';
import { SafeLogger } from './runtime/logging.js';
import { copiesProblem } from './runtime/other-copies.js';
import { PaymentsRuntimeModule } from './runtime/runtime.module.js';

export const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<PaymentsOptions>({
    optionsInjectionToken: PAYMENTS_OPTIONS,
  })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createPaymentsOptions')
    .setExtras<PaymentsModuleExtras>({}, (definition) => definition)
    .build();

type AsyncOptions = typeof ASYNC_OPTIONS_TYPE;
type Base = BaseWithSource<typeof ConfigurableModuleClass, 'forRootAsync', AsyncOptions>;

/**
 * Mobile-money payments for a NestJS application.
 * @example
 * \@Module({ imports: [PaymentsModule.forRoot()] })   // everything from PAYMENTS_*
 * export class AppModule {}
 * @publicApi
 */
@Module({
  // A module that imports the class itself gets these providers. Without them, Nest would only say that a service cannot be resolved.
  providers: ACCOUNT_SERVICES.map(({ provide }) => ({
    provide,
    useFactory: refuseWithoutOptions,
  })),
  exports: ACCOUNT_SERVICES.map(({ provide }) => provide),
})
export class PaymentsModule extends (ConfigurableModuleClass as Base) {
  /**
   * Adds one account. Its settings come from the options and, where they say nothing, from `PAYMENTS_*`.
   * @throws PaymentsConfigurationError at start-up, naming every wrong setting with its cure
   */
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    return complete(super.forRoot(options), options);
  }

  /**
   * Adds one account whose options come from a factory or class. `path`, `account` and `controllerDecorators` stand beside it.
   * @throws PaymentsConfigurationError without a factory or class
   */
  static override forRootAsync(options: WithSource<AsyncOptions>): DynamicModule {
    const problem = sourceProblem(
      ['PaymentsModule.forRootAsync()', 'PaymentsModule.forRoot()'],
      options,
    );
    if (problem) throw new PaymentsConfigurationError([problem]);
    return complete(super.forRootAsync(options), options);
  }

  /**
   * Adds accounts while the application runs: with `PaymentsAccounts.add()`, or from a `PaymentsAccountsSource`. Import it once,
   * beside the accounts that are declared at the start, if there are any. Their routes have the account in the path:
   * `payments/accounts/<account>/webhooks`.
   * @example
   * PaymentsModule.forAccounts({ source: ShopAccounts, imports: [ShopsModule] })
   * @see docs/guide.md#many-merchants
   */
  static forAccounts({
    source,
    imports = [],
    transactions,
    ...options
  }: PaymentsAccountsModuleOptions = {}): DynamicModule {
    const routes = callbacksController(null, options.controllerDecorators ?? []);
    return {
      module: PaymentsAccountsModule,
      imports: [...imports, PaymentsCoreModule],
      controllers: [routes],
      providers: [
        ...(source ? [{ provide: PaymentsAccountsSource, useClass: source }] : []),
        {
          provide: ADDED_ACCOUNTS,
          inject: [
            AddedAccounts,
            HostTransactions,
            { token: PaymentsAccountsSource, optional: true },
            { token: ConfigService, optional: true },
            ModulesContainer,
          ],
          useFactory: (
            added: AddedAccounts,
            host: HostTransactions,
            given: PaymentsAccountsSource | undefined,
            config: ConfigService | undefined,
            modules: ModulesContainer,
          ) => {
            // The default account has looked for misspelt names already.
            if (!namesOfAccounts(modules).includes(DEFAULT_ACCOUNT))
              warnOf(misspeltVariables(Object.keys(process.env), options));
            host.use(transactions);
            const read = variablesOf(config);
            const path = pathOf(options, read);
            placeRoutes(routes, `${path}/accounts/:account`);
            added.allow({ ...options, path }, read, given ?? null);
          },
        },
      ],
    };
  }
}

/** The module of accounts that come while the application runs. */
@Module({})
class PaymentsAccountsModule {}

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
  const routes = callbacksController(account, extras.controllerDecorators ?? []);
  const services = ACCOUNT_SERVICES.flatMap((service) => serviceOf(service, account));
  return {
    ...definition,
    module: PaymentsAccountModule,
    global: extras.global ?? true,
    imports: [...(definition.imports ?? []), PaymentsCoreModule],
    controllers: [routes],
    providers: [
      ...(definition.providers ?? []),
      { provide: ACCOUNT_NAME, useValue: account },
      settingsOf(account, extras, routes),
      {
        provide: PaymentsAccount,
        inject: [AccountHandles, PAYMENTS_SETTINGS],
        useFactory: (handles: AccountHandles, { current }: CurrentSettings) =>
          handles.handle(current.account),
      },
      ...services,
    ],
    exports: services.map(({ provide }) => provide),
  };
}

/**
 * Returns the providers of a service. Its class is the injection token of the default account only: with several accounts, a class could mean any of
 * them, and `app.get(PaymentsService)` would charge for the one that was imported last.
 */
function serviceOf(
  service: AccountService,
  account: string,
): (FactoryProvider | ExistingProvider)[] {
  const named = accountToken(service.provide, account);
  if (account === DEFAULT_ACCOUNT)
    return [service, { provide: named, useExisting: service.provide }];
  return [{ ...service, provide: named }];
}

function settingsOf(
  account: string,
  extras: PaymentsModuleExtras,
  routes: Type,
): FactoryProvider<CurrentSettings> {
  return {
    provide: PAYMENTS_SETTINGS,
    inject: [
      PAYMENTS_OPTIONS,
      AccountRegistry,
      ApplicationStore,
      HostTransactions,
      { token: ConfigService, optional: true },
    ],
    useFactory: (
      options: PaymentsOptions,
      accounts: AccountRegistry,
      store: ApplicationStore,
      transactions: HostTransactions,
      config?: ConfigService,
    ) => {
      const given = account === DEFAULT_ACCOUNT ? Object.keys(process.env) : [];
      const read = variablesOf(config);
      const path = pathOf(extras, read);
      placeRoutes(routes, path);
      const settings = resolveSettings({ ...options, account }, read, path, given);
      const risks = startWarnings(settings, read).map(riskText);
      warnOf([...misspeltVariables(given, options), ...risks]);
      accounts.add(settings);
      store.note(account, options.store);
      transactions.use(options.transactions);
      return accounts.following(account);
    },
  };
}

function warnOf(problems: readonly string[]): void {
  const log = new SafeLogger();
  for (const problem of problems) log.warn(problem);
}

function variablesOf(config: ConfigService | undefined): ReadVariable {
  return (name) => {
    const value: unknown = config?.get(name) ?? process.env[name];
    return value === undefined || value === null ? undefined : String(value as string | number);
  };
}

/**
 * The one object graph of an application: it only puts the parts together. Every account's module imports it, so that Nest makes each of these
 * objects once; what they work on names its account. It and its parts are global, because Nest initialises global modules first: the
 * dispatcher registers the listeners before a module of the host can request a payment.
 * @see docs/decisions/0017-one-object-graph-for-all-accounts.md
 */
@Global()
@Module({
  imports: [
    PaymentsRuntimeModule,
    PaymentsStoreModule,
    PaymentsQueueModule,
    PaymentsAccountsOfHostModule,
    PaymentsListenersModule,
    PaymentsOperationsModule,
    PaymentsDoorModule,
    PaymentsRoundModule,
  ],
  providers: [
    ApplicationStore,
    {
      provide: CHOSEN_STORE,
      inject: [ApplicationStore, ModulesContainer],
      useFactory: (store: ApplicationStore, modules: ModulesContainer) => {
        refuseOtherModule(modules);
        return store.chosen(namesOfAccounts(modules));
      },
    },
    {
      provide: ACCOUNT_WORK,
      inject: [EventDispatcher, SweepSchedule, RetentionSchedule],
      useFactory: (...work: AccountWork[]) => work,
    },
    AccountHandles,
    PaymentsAccounts,
  ],
  exports: [ApplicationStore, CHOSEN_STORE, ACCOUNT_WORK, AccountHandles, PaymentsAccounts],
})
export class PaymentsCoreModule implements OnModuleInit {
  constructor(private readonly modules: ModulesContainer) {}

  /** @throws PaymentsConfigurationError when the application provides the store of another copy of this package */
  onModuleInit(): void {
    const providers = [...this.modules.values()].flatMap((each) => [...each.providers.values()]);
    refuseOtherStores(providers.map(({ instance }) => instance as unknown));
  }
}

/** @throws PaymentsConfigurationError when the application imports another copy of this package as well */
function refuseOtherModule(modules: ModulesContainer): void {
  const isOther = (type: Type): boolean =>
    type !== PaymentsCoreModule && type.name === PaymentsCoreModule.name;
  if ([...modules.values()].some(({ metatype }) => isOther(metatype)))
    throw new PaymentsConfigurationError([
      copiesProblem(
        'this application imports PaymentsModule from both, and each would call all listeners',
      ),
    ]);
}

/** The module of each account provides the name of its account. */
function namesOfAccounts(modules: ModulesContainer): string[] {
  return [...modules.values()]
    .map(({ providers }) => providers.get(ACCOUNT_NAME)?.instance as unknown)
    .filter((name) => typeof name === 'string');
}
