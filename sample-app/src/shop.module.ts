import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { PaymentsModule } from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';
import { ShopDatabase } from './database/shop-database.js';
import { GoodsController } from './goods/goods.controller.js';
import { OrdersController } from './orders/orders.controller.js';
import { OrdersListener } from './orders/orders.listener.js';
import { OrdersRepository } from './orders/orders-repository.js';
import { OrdersService } from './orders/orders.service.js';
import { RefundsController } from './orders/refunds.controller.js';
import { LoopbackGuard } from './practice/loopback.guard.js';
import { TillSwitch, TillSwitchController } from './practice/till-switch.js';
import { ShopSettings } from './shop.settings.js';
import { PAYOUT_LIMITS } from './suppliers/payout.form.js';
import { SuppliersController } from './suppliers/suppliers.controller.js';
import { SuppliersListener } from './suppliers/suppliers.listener.js';
import { SuppliersService } from './suppliers/suppliers.service.js';
import { ThanksListener } from './till/thanks.listener.js';
import { TillController } from './till/till.controller.js';
import { TillListener } from './till/till.listener.js';
import { TillRepository } from './till/till-repository.js';
import { TillSubscription } from './till/till-subscription.js';
import { LiveStreams } from './web/live-streams.js';
import { ProblemFilter } from './web/problem.filter.js';

@Module({
  controllers: [GoodsController, OrdersController, TillController],
  providers: [
    LiveStreams,
    OrdersRepository,
    OrdersService,
    OrdersListener,
    TillRepository,
    TillListener,
    ThanksListener,
    SuppliersService,
    SuppliersListener,
    TillSubscription,
    TillSwitch,
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
})
export class ShopModule implements OnApplicationShutdown {
  static forRoot(settings: ShopSettings, database: ShopDatabase): DynamicModule {
    return {
      module: ShopModule,
      // Money out needs a shopkeeper who is signed in. This shop has no sign-in, so only practice has these pages.
      controllers: settings.practice
        ? [RefundsController, SuppliersController, TillSwitchController]
        : [],
      imports: [
        // In your application both are `forRoot()`, because the database and the platform come from PAYMENTS_*.
        PostgresStoreModule.forRoot({ connectionString: settings.databaseUrl }),
        PaymentsModule.forRoot({
          defaultCountry: 'KE',
          payouts: { limits: { KES: PAYOUT_LIMITS } },
          ...settings.payments,
        }),
        ...(settings.practice ? [practiceDashboard()] : []),
      ],
      providers: [
        { provide: ShopSettings, useValue: settings },
        { provide: ShopDatabase, useValue: database },
      ],
    };
  }

  constructor(
    private readonly settings: ShopSettings,
    private readonly database: ShopDatabase,
  ) {}

  /** Nest calls this hook last: work in progress needs the platform and the database until then. */
  async onApplicationShutdown(): Promise<void> {
    await this.settings.practice?.stop();
    await this.database.stop();
  }
}

/** For practice only. With a real platform, the guards must check the operator's session and the right to move money. */
function practiceDashboard(): DynamicModule {
  return PaymentsDashboardModule.forRoot({
    path: 'dashboard',
    guards: [LoopbackGuard],
    actionGuards: [LoopbackGuard],
    operator: () => 'the person at this machine',
    timeZone: 'Africa/Nairobi',
  });
}
