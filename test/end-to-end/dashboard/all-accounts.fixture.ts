import {
  Injectable,
  type DynamicModule,
  type INestApplication,
  type ModuleMetadata,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterEach } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import {
  MemoryStore,
  PaymentsAccounts,
  PaymentsAccountsSource,
  PaymentsModule,
  PaymentsStore,
  type AddedAccountOptions,
  type PaymentsAccountsModuleOptions,
} from '@tillkit/payments';
import { DashboardVisitor } from '../../support/dashboard.visitor.js';
import { freePort, type Platform } from '../../support/platforms.js';

/** The host's own database of shops. */
@Injectable()
export class Shops {
  readonly options = new Map<string, AddedAccountOptions>();
  readonly loads: string[] = [];
  isAway = false;

  /** A shop with a till of its own. */
  add(name: string, options: Partial<AddedAccountOptions> = {}): this {
    this.options.set(name, {
      baseUrl: 'https://platform.example',
      clientId: `id of ${name}`,
      clientSecret: 'secret',
      apiKeys: [`key of ${name}`],
      tillNumber: `${100_000 + this.options.size}`,
      defaultCountry: 'KE',
      ...options,
    });
    return this;
  }
}

@Injectable()
class ShopAccounts extends PaymentsAccountsSource {
  constructor(private readonly shops: Shops) {
    super();
  }

  async load(account: string): Promise<AddedAccountOptions | null> {
    this.shops.loads.push(account);
    if (this.shops.isAway) throw new Error('the vault at 10.0.0.7 is sealed');
    return this.shops.options.get(account) ?? null;
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

/** A platform of shops on one application, with one dashboard for all of them. Each test opens its own, which is closed after it. */
export class ManyShops {
  shops: Shops;
  store: PaymentsStore;
  app: INestApplication;
  url: string;
  dashboard: DashboardVisitor;

  constructor(
    private readonly platform: Platform,
    { closesAfterEach = true } = {},
  ) {
    if (closesAfterEach) afterEach(() => this.app?.close());
  }

  /** Prepares the store and the shops before the application starts. */
  prepare(store: PaymentsStore = new MemoryStore()): this {
    this.shops = new Shops();
    this.store = store;
    return this;
  }

  async start({ payments, dashboard, imports, providers, configure }: Opened = {}): Promise<void> {
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    const module = await Test.createTestingModule({
      imports: [
        provided(PaymentsStore, this.store),
        PaymentsModule.forAccounts({
          source: ShopAccounts,
          imports: [provided(Shops, this.shops)],
          publicUrl: this.url,
          background: false,
          ...payments,
        }),
        PaymentsDashboardModule.forAccounts({
          ...(!dashboard?.guards && { unguarded: 'anyone may see every payment' }),
          ...dashboard,
        }),
        ...(imports ?? []),
      ],
      providers: providers ?? [],
    })
      .setLogger(false as never)
      .compile();
    this.app = this.platform.create(module);
    this.app.useLogger(false);
    configure?.(this.app);
    await this.app.listen(port, '127.0.0.1');
    this.dashboard = new DashboardVisitor(this.url + ALL_PATH);
  }

  get accounts(): PaymentsAccounts {
    return this.app.get(PaymentsAccounts);
  }
}

function provided(provide: object, useValue: object): DynamicModule {
  return {
    module: class ValueModule {},
    global: true,
    providers: [{ provide: provide as typeof Shops, useValue }],
    exports: [provide as typeof Shops],
  };
}
