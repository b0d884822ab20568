import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { afterEach } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import {
  MemoryStore,
  PaymentsAccounts,
  PaymentsModule,
  PaymentsStore,
  type AddedAccountOptions,
} from '@tillkit/payments';
import type { PaymentsAccountsModuleOptions } from '@tillkit/payments/types';
import { listeningAt, moduleOf } from '../../support/application.js';
import { DashboardVisitor } from '../../support/dashboard.visitor.js';
import { freePort } from '../../support/free.port.js';
import { PLATFORM, type Platform } from '../../support/platform.js';
import { ShopAccounts, Shops } from '../../support/shops.js';

/** The host's own database of shops. */
export class NumberedShops extends Shops {
  /** Adds a shop that has a till of its own. */
  add(name: string, options: Partial<AddedAccountOptions> = {}): this {
    this.options.set(name, {
      baseUrl: 'https://platform.example',
      clientId: `id of ${name}`,
      clientSecret: 'secret',
      apiKeys: [`the API key of ${name}`],
      tillNumber: `${100_000 + this.options.size}`,
      defaultCountry: 'KE',
      ...options,
    });
    return this;
  }
}

type AllAccountsOptions = Parameters<typeof PaymentsDashboardModule.forAccounts>[0];

interface Opened {
  payments?: PaymentsAccountsModuleOptions;
  dashboard?: Partial<AllAccountsOptions>;
  imports?: ModuleMetadata['imports'];
  providers?: ModuleMetadata['providers'];
  configure?: (app: INestApplication) => void;
}

export const ALL_PATH = '/payments-dashboard';

/** A platform of shops on one application, with one dashboard for all of them. Each test opens its own, which is closed after it; tests that only read may share one (`closes: afterAll`). */
export class ManyShops {
  shops: NumberedShops;
  store: PaymentsStore;
  app: INestApplication;
  url: string;
  dashboard: DashboardVisitor;

  private readonly platform: Platform;

  constructor({
    platform = PLATFORM,
    closes = afterEach,
  }: { platform?: Platform; closes?: (close: () => Promise<void>) => void } = {}) {
    this.platform = platform;
    closes(() => this.app?.close());
  }

  /** Prepares the store and the shops before the application starts. */
  prepare(store: PaymentsStore = new MemoryStore()): this {
    this.shops = new NumberedShops();
    this.store = store;
    return this;
  }

  async start({ payments, dashboard, imports, providers, configure }: Opened = {}): Promise<void> {
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    this.app = await listeningAt(
      port,
      this.platform,
      {
        imports: [
          moduleOf(PaymentsStore, this.store, true),
          PaymentsModule.forAccounts({
            source: ShopAccounts,
            imports: [moduleOf(Shops, this.shops, true)],
            publicUrl: this.url,
            background: false,
            ...payments,
          }),
          PaymentsDashboardModule.forAccounts({
            ...(!dashboard?.guards && { unguarded: 'anyone may see every payment' }),
            unguardedActions: 'anyone may move money',
            ...dashboard,
          }),
          ...(imports ?? []),
        ],
        providers: providers ?? [],
      },
      configure,
    );
    this.dashboard = new DashboardVisitor(this.url + ALL_PATH);
  }

  get accounts(): PaymentsAccounts {
    return this.app.get(PaymentsAccounts);
  }
}
