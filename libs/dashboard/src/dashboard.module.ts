import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { assetsController } from './assets/assets.controller.js';
import { DASHBOARD_ACCOUNT, DASHBOARD_PATH } from './dashboard.constants.js';
import {
  ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  OPTIONS_TYPE,
} from './dashboard.module-definition.js';
import type { PaymentsDashboardExtras } from './dashboard.options.js';
import { deadLettersController } from './dead-letters/dead-letters.controller.js';
import { DeadLettersPage } from './dead-letters/dead-letters.page.js';
import { deliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesPage } from './deliveries/deliveries.page.js';
import { DeliveryPage } from './deliveries/delivery.page.js';
import { PageLayout } from './html/page.layout.js';
import { TimeFormat } from './html/time.format.js';
import { overviewController } from './overview/overview.controller.js';
import { OverviewPage } from './overview/overview.page.js';
import { StatisticsCounter } from './overview/statistics.counter.js';
import { FindPage } from './payments/find.page.js';
import { PaymentPage } from './payments/payment.page.js';
import { paymentsController } from './payments/payments.controller.js';
import { PaymentsPage } from './payments/payments.page.js';
import { ReviewTaker } from './payments/review.taker.js';
import { reconciliationController } from './reconciliation/reconciliation.controller.js';
import { ReconciliationPage } from './reconciliation/reconciliation.page.js';
import { sightingsController } from './sightings/sightings.controller.js';
import { SightingsPage } from './sightings/sightings.page.js';
import { DashboardAccount } from './start/dashboard.account.js';
import { DashboardPartsModule } from './start/dashboard-parts.module.js';
import { readSettings } from './start/dashboard.settings.js';
import { TransactionPage } from './transactions/transaction.page.js';
import { transactionsController } from './transactions/transactions.controller.js';
import { TransactionsPage } from './transactions/transactions.page.js';
import type { RoutesPlace } from './web/dashboard-routes.decorator.js';
import { lostController } from './web/lost.controller.js';
import { LookupsLog } from './web/lookups.log.js';
import { OperatorNaming } from './web/operator.naming.js';
import { PageAnswerer } from './web/page.answerer.js';

/** The last of them takes what the others leave. */
const CONTROLLERS: readonly ((place: RoutesPlace) => Type)[] = [
  assetsController,
  overviewController,
  paymentsController,
  transactionsController,
  deliveriesController,
  deadLettersController,
  sightingsController,
  reconciliationController,
  lostController,
];

const PARTS: readonly Provider[] = [
  DashboardAccount,
  TimeFormat,
  PageLayout,
  OperatorNaming,
  LookupsLog,
  PageAnswerer,
  StatisticsCounter,
  OverviewPage,
  PaymentsPage,
  PaymentPage,
  FindPage,
  ReviewTaker,
  TransactionsPage,
  TransactionPage,
  DeliveriesPage,
  DeliveryPage,
  DeadLettersPage,
  SightingsPage,
  ReconciliationPage,
];

/**
 * Pages for operators of `@tillkit/payments`, inside your application: payments and their timelines, the inbox, dead
 * letters, till money, charts and reconciliation.
 * @example
 * \@Module({ imports: [PaymentsModule.forRoot(), PaymentsDashboardModule.forRoot({ guards: [OperatorsGuard] })] })
 * export class AppModule {}
 * @publicApi
 */
@Module({})
export class PaymentsDashboardModule extends ConfigurableModuleClass {
  /**
   * The dashboard of one account.
   * @throws DashboardConfigurationError without a guard, or with a path that is none
   */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    return complete(super.forRoot(options ?? {}), options ?? {});
  }

  /** The same where `operator` or `timeZone` come from a factory or class; all else stands beside it. */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return complete(super.forRootAsync(options), options);
  }
}

/** Adds to what the builder made; never replaces it. */
function complete(definition: DynamicModule, extras: PaymentsDashboardExtras): DynamicModule {
  const { path, account, guards } = readSettings(extras);
  return {
    ...definition,
    imports: [
      ...new Set([...(definition.imports ?? []), ...(extras.imports ?? [])]),
      DashboardPartsModule,
    ],
    controllers: CONTROLLERS.map((controller) => controller({ path, guards })),
    providers: [
      ...(definition.providers ?? []),
      ...PARTS,
      { provide: DASHBOARD_ACCOUNT, useValue: account },
      { provide: DASHBOARD_PATH, useValue: path },
    ],
  };
}
