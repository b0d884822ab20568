import {
  Module,
  type DynamicModule,
  type MiddlewareConsumer,
  type NestModule,
  type Provider,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { PaymentsModule } from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';
import { GoodsController } from './goods/goods.controller.js';
import { CheckoutPage } from './orders/checkout.page.js';
import { MemoryOrdersRepository } from './orders/memory-orders.repository.js';
import { OrderPage } from './orders/order.page.js';
import { OrderViews } from './orders/order-views.service.js';
import { OrdersController } from './orders/orders.controller.js';
import { OrdersListener } from './orders/orders.listener.js';
import { OrdersRepository } from './orders/orders.repository.js';
import { OrdersService } from './orders/orders.service.js';
import { ShopFeed } from './shop.feed.js';
import { ShopSetup } from './shop.setup.js';
import { MemoryTillRepository } from './till/memory-till.repository.js';
import { ThanksListener } from './till/thanks.listener.js';
import { TillController } from './till/till.controller.js';
import { TillListener } from './till/till.listener.js';
import { TillPage } from './till/till.page.js';
import { TillRepository } from './till/till.repository.js';
import { LoopbackGuard } from './practice/loopback.guard.js';
import { PostgresOrdersRepository } from './storage/postgres-orders.repository.js';
import { PostgresTillRepository } from './storage/postgres-till.repository.js';
import { ShopDatabase } from './storage/shop.database.js';
import { TillSubscription } from './till/till.subscription.js';
import { AssetsCatalogue } from './web/assets.catalogue.js';
import { AssetsController } from './web/assets.controller.js';
import { ConnectionsCloser } from './web/connections.closer.js';
import { DASHBOARD_PATH } from './web/places.catalogue.js';
import { PageLayout } from './web/page.layout.js';
import { ProblemFilter } from './web/problem.filter.js';
import { SecurityHeadersMiddleware } from './web/security-headers.middleware.js';

@Module({
  controllers: [GoodsController, OrdersController, TillController, AssetsController],
  providers: [
    ShopFeed,
    ConnectionsCloser,
    AssetsCatalogue,
    PageLayout,
    CheckoutPage,
    OrderPage,
    OrderViews,
    OrdersService,
    OrdersListener,
    TillPage,
    TillListener,
    ThanksListener,
    TillSubscription,
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
})
export class ShopModule implements NestModule, OnApplicationShutdown {
  static forRoot(setup: ShopSetup): DynamicModule {
    return {
      module: ShopModule,
      imports: [
        ...(setup.database
          ? [PostgresStoreModule.forRoot({ connectionString: setup.database.url })]
          : []),
        PaymentsModule.forRoot(setup.payments),
        ...(setup.practice ? [dashboard()] : []),
      ],
      providers: [{ provide: ShopSetup, useValue: setup }, ...repositories(setup)],
    };
  }

  constructor(private readonly setup: ShopSetup) {}

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SecurityHeadersMiddleware).forRoutes('{*path}');
  }

  /** The last hook of all: what drains until then still talks to the platform. */
  async onApplicationShutdown(): Promise<void> {
    await this.setup.practice?.stop();
    await this.setup.database?.close();
  }
}

/** Only in practice: with a real platform its guard would have to know who the operators are. */
function dashboard(): DynamicModule {
  return PaymentsDashboardModule.forRoot({
    path: DASHBOARD_PATH,
    guards: [LoopbackGuard],
    operator: () => 'whoever sits at this machine',
    timeZone: 'Africa/Nairobi',
  });
}

function repositories({ database }: ShopSetup): Provider[] {
  if (!database) {
    return [
      { provide: OrdersRepository, useClass: MemoryOrdersRepository },
      { provide: TillRepository, useClass: MemoryTillRepository },
    ];
  }
  return [
    { provide: ShopDatabase, useValue: database },
    { provide: OrdersRepository, useClass: PostgresOrdersRepository },
    { provide: TillRepository, useClass: PostgresTillRepository },
  ];
}
