import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import {
  type BaseWithSource,
  sourceProblem,
  type WithSource,
} from '@tillkit/payments/internal/routes';
import { accountsController } from './accounts/accounts.controller.js';
import { AccountsPage } from './accounts/accounts.page.js';
import { assetsController } from './assets/assets.controller.js';
import {
  ACCOUNTS,
  DASHBOARD_ACCOUNT,
  DASHBOARD_MAY_ACT,
  DASHBOARD_PATH,
  DEFAULT_ACCOUNT,
} from './dashboard.constants.js';
import { DashboardConfigurationError } from './dashboard.errors.js';
import {
  ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  OPTIONS_TYPE,
} from './dashboard.module-definition.js';
import type {
  AllAccountsExtras,
  PaymentsDashboardExtras,
  PaymentsDashboardOptions,
} from './dashboard.options.js';
import { deadLettersList } from './dead-letters/dead-letters.definition.js';
import { FramePage } from './html/frame.page.js';
import { liveController } from './live/live.controller.js';
import { TimeZones } from './web/time-zones.service.js';
import { Comparisons } from './reconciliation/comparisons.service.js';
import { TotalsService } from './totals/totals.service.js';
import { deliveriesList } from './deliveries/deliveries.definition.js';
import { listController } from './lists/list.controller.js';
import { paymentsList } from './payments/payments.definition.js';
import { transactionsList } from './transactions/transactions.definition.js';
import { anomaliesList } from './anomalies/anomalies.definition.js';
import { paymentLinksList } from './payment-links/payment-links.definition.js';
import { payoutsList } from './payouts/payouts.definition.js';
import { refundsList } from './refunds/refunds.definition.js';
import { ACTION_ROUTES, PAGE_ROUTES } from './page-routes.js';
import { DashboardAccounts } from './start/dashboard-accounts.service.js';
import { DashboardSharedModule } from './start/dashboard-shared.module.js';
import { readSettings, type DashboardSettings } from './start/dashboard.settings.js';
import type { RoutesOptions } from './web/dashboard-routes.decorator.js';
import { notFoundController } from './web/not-found.controller.js';
import { AuditLogService } from './web/audit-log.service.js';
import { OperatorService } from './web/operator.service.js';
import { PagesService } from './web/pages.service.js';

/** The lists of one account. */
const LISTS: readonly ((options: RoutesOptions) => Type)[] = [
  (options) => listController(options, 'payments', paymentsList),
  (options) => listController(options, 'payouts', payoutsList),
  (options) => listController(options, 'refunds', refundsList),
  (options) => listController(options, 'payment-links', paymentLinksList),
  (options) => listController(options, 'transactions', transactionsList),
  (options) => listController(options, 'deliveries', deliveriesList),
  (options) => listController(options, 'dead-letters', deadLettersList),
  (options) => listController(options, 'anomalies', anomaliesList),
];

/** All routes of one dashboard share these settings, and the guards of its actions are in them. */
type AllRoutes = RoutesOptions & DashboardSettings;

const PROVIDERS: readonly Provider[] = [
  ...new Set([...PAGE_ROUTES, ...ACTION_ROUTES].map(({ page }) => page)),
  DashboardAccounts,
  TimeZones,
  FramePage,
  OperatorService,
  AuditLogService,
  PagesService,
  TotalsService,
  Comparisons,
  AccountsPage,
];

type AsyncOptions = typeof ASYNC_OPTIONS_TYPE;
type Base = BaseWithSource<typeof ConfigurableModuleClass, 'forRootAsync', AsyncOptions>;

/**
 * Pages for operators of `@tillkit/payments`, inside your application: payments with their timelines, till transactions,
 * deliveries, dead letters, anomalies, charts and reconciliation.
 * @example
 * \@Module({ imports: [PaymentsModule.forRoot(), PaymentsDashboardModule.forRoot({ guards: [OperatorsGuard] })] })
 * export class AppModule {}
 * @publicApi
 */
@Module({})
export class PaymentsDashboardModule extends (ConfigurableModuleClass as Base) {
  /**
   * Adds the dashboard of one account.
   * @throws DashboardConfigurationError without guards, or with an invalid path
   */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    return oneAccount(super.forRoot(options ?? {}), options ?? {});
  }

  /** Does the same as `forRoot`, with `operator` and `timeZone` from a factory or class. The other options stand beside it. */
  static override forRootAsync(options: WithSource<AsyncOptions>): DynamicModule {
    requireSource(['forRootAsync', 'forRoot'], options);
    return oneAccount(super.forRootAsync(options), options);
  }

  /**
   * Adds one dashboard of all accounts of the application: a start page that lists them, and the pages of each at
   * `<path>/accounts/<account>`. Your guards find the account in `request.params.account`; the start page and the assets have none.
   * @example
   * PaymentsDashboardModule.forAccounts({ guards: [OperatorsGuard], accounts: ({ user }: SignedIn) => user.shops })
   * @throws DashboardConfigurationError without guards, with an invalid path, or with an account
   */
  static forAccounts(options: PaymentsDashboardOptions & AllAccountsExtras): DynamicModule {
    return allAccounts(super.forRoot(options ?? {}), options ?? {});
  }

  /** Does the same as `forAccounts`, with `operator`, `accounts` and `timeZone` from a factory or class. The other options stand beside it. */
  static forAccountsAsync(options: WithSource<Omit<AsyncOptions, 'account'>>): DynamicModule {
    requireSource(['forAccountsAsync', 'forAccounts'], options);
    return allAccounts(super.forRootAsync(options), options);
  }
}

/** @throws DashboardConfigurationError when nothing gives the options */
function requireSource(
  [called, without]: [string, string],
  options: Parameters<typeof sourceProblem>[1],
): void {
  const problem = sourceProblem(
    [`PaymentsDashboardModule.${called}()`, `PaymentsDashboardModule.${without}()`],
    options,
  );
  if (problem) throw new DashboardConfigurationError([problem]);
}

function oneAccount(definition: DynamicModule, extras: PaymentsDashboardExtras): DynamicModule {
  const routes = routesOf(extras);
  return complete(definition, extras, routes, extras.account ?? DEFAULT_ACCOUNT, [
    assetsController(routes),
    ...accountControllers(routes),
  ]);
}

function allAccounts(definition: DynamicModule, extras: PaymentsDashboardExtras): DynamicModule {
  if (extras.account !== undefined) {
    throw new DashboardConfigurationError([
      `account "${extras.account}" contradicts forAccounts(), which shows all accounts: remove account, or write ` +
        `PaymentsDashboardModule.forRoot({ account: '${extras.account}', ... })`,
    ]);
  }
  const routes = routesOf(extras);
  const ofAccount = { ...routes, path: `${routes.path}/${ACCOUNTS}/:account` };
  return complete(definition, extras, routes, null, [
    assetsController(routes),
    accountsController(routes),
    ...accountControllers(ofAccount),
    notFoundController(routes, 'showWithoutAccount'),
  ]);
}

/**
 * Actions and lists stand before the pages that have a parameter in the same place. The last controller answers every other address with
 * 404.
 */
function accountControllers(routes: AllRoutes): Type[] {
  const { guards, actionGuards } = routes;
  const ofActions = actionGuards && { ...routes, guards: [...guards, ...actionGuards] };
  return [
    ...(ofActions ? ACTION_ROUTES.map(({ controller }) => controller(ofActions)) : []),
    ...LISTS.map((list) => list(routes)),
    ...PAGE_ROUTES.map(({ controller }) => controller(routes)),
    liveController(routes),
    notFoundController(routes),
  ];
}

function routesOf(extras: PaymentsDashboardExtras): AllRoutes {
  return { ...readSettings(extras), decorators: extras.controllerDecorators ?? [] };
}

/** Adds controllers and providers to the builder's definition, and replaces nothing in it. */
function complete(
  definition: DynamicModule,
  extras: PaymentsDashboardExtras,
  { path, actionGuards }: AllRoutes,
  account: string | null,
  controllers: Type[],
): DynamicModule {
  return {
    ...definition,
    imports: [
      ...new Set([...(definition.imports ?? []), ...(extras.imports ?? [])]),
      DashboardSharedModule,
    ],
    controllers,
    providers: [
      ...(definition.providers ?? []),
      ...PROVIDERS,
      { provide: DASHBOARD_ACCOUNT, useValue: account },
      { provide: DASHBOARD_PATH, useValue: path },
      { provide: DASHBOARD_MAY_ACT, useValue: actionGuards !== null },
    ],
  };
}
