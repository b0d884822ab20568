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
import { FramePage } from './html/frame.page.js';
import { TimeFormat } from './html/time.format.js';
import { overviewController } from './overview/overview.controller.js';
import { OverviewPage } from './overview/overview.page.js';
import { StatisticsService } from './overview/statistics.service.js';
import { FindPage } from './payments/find.page.js';
import { PaymentPage } from './payments/payment.page.js';
import { paymentsController } from './payments/payments.controller.js';
import { PaymentsPage } from './payments/payments.page.js';
import { ReviewsService } from './payments/reviews.service.js';
import { reconciliationController } from './reconciliation/reconciliation.controller.js';
import { ReconciliationPage } from './reconciliation/reconciliation.page.js';
import { anomaliesController } from './anomalies/anomalies.controller.js';
import { AnomaliesPage } from './anomalies/anomalies.page.js';
import { DashboardAccount } from './start/dashboard-account.service.js';
import { DashboardSharedModule } from './start/dashboard-shared.module.js';
import { readSettings } from './start/dashboard.settings.js';
import { TransactionPage } from './transactions/transaction.page.js';
import { transactionsController } from './transactions/transactions.controller.js';
import { TransactionsPage } from './transactions/transactions.page.js';
import type { RoutesOptions } from './web/dashboard-routes.decorator.js';
import { notFoundController } from './web/not-found.controller.js';
import { AuditLogService } from './web/audit-log.service.js';
import { OperatorService } from './web/operator.service.js';
import { PagesService } from './web/pages.service.js';

/** The last controller must be last: it answers every other address with 404. */
const CONTROLLERS: readonly ((options: RoutesOptions) => Type)[] = [
  assetsController,
  overviewController,
  paymentsController,
  transactionsController,
  deliveriesController,
  deadLettersController,
  anomaliesController,
  reconciliationController,
  notFoundController,
];

const PROVIDERS: readonly Provider[] = [
  DashboardAccount,
  TimeFormat,
  FramePage,
  OperatorService,
  AuditLogService,
  PagesService,
  StatisticsService,
  OverviewPage,
  PaymentsPage,
  PaymentPage,
  FindPage,
  ReviewsService,
  TransactionsPage,
  TransactionPage,
  DeliveriesPage,
  DeliveryPage,
  DeadLettersPage,
  AnomaliesPage,
  ReconciliationPage,
];

/**
 * Pages for operators of `@tillkit/payments`, inside your application: payments with their timelines, till transactions,
 * deliveries, dead letters, anomalies, charts and reconciliation.
 * @example
 * \@Module({ imports: [PaymentsModule.forRoot(), PaymentsDashboardModule.forRoot({ guards: [OperatorsGuard] })] })
 * export class AppModule {}
 * @publicApi
 */
@Module({})
export class PaymentsDashboardModule extends ConfigurableModuleClass {
  /**
   * The dashboard of one account.
   * @throws DashboardConfigurationError without guards, or with an invalid path
   */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    return complete(super.forRoot(options ?? {}), options ?? {});
  }

  /** Like `forRoot`, with `operator` and `timeZone` from a factory or class. The other options stand beside it. */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return complete(super.forRootAsync(options), options);
  }
}

/** Adds controllers and providers to the builder's definition, and replaces nothing in it. */
function complete(definition: DynamicModule, extras: PaymentsDashboardExtras): DynamicModule {
  const { path, account, guards } = readSettings(extras);
  const decorators = extras.controllerDecorators ?? [];
  return {
    ...definition,
    imports: [
      ...new Set([...(definition.imports ?? []), ...(extras.imports ?? [])]),
      DashboardSharedModule,
    ],
    controllers: CONTROLLERS.map((controller) => controller({ path, guards, decorators })),
    providers: [
      ...(definition.providers ?? []),
      ...PROVIDERS,
      { provide: DASHBOARD_ACCOUNT, useValue: account },
      { provide: DASHBOARD_PATH, useValue: path },
    ],
  };
}
