import { Injectable, type DynamicModule } from '@nestjs/common';
import { PaymentsAccountsSource, type LoadedAccountOptions } from '@tillkit/payments';

/** The host's own database and vault. */
export class Shops {
  readonly options = new Map<string, LoadedAccountOptions>();
  readonly loads: string[] = [];
  /** What the database does instead of answering. */
  failure: (() => Promise<never>) | null = null;
  /** Loads wait for it, after they have read the options. */
  delay: Promise<void> | null = null;
}

@Injectable()
export class ShopAccounts extends PaymentsAccountsSource {
  constructor(private readonly shops: Shops) {
    super();
  }

  async load(account: string): Promise<LoadedAccountOptions | null> {
    this.shops.loads.push(account);
    if (this.shops.failure) return this.shops.failure();
    const options = this.shops.options.get(account) ?? null;
    await this.shops.delay;
    return options;
  }
}

/** A module of the host that provides a value. */
export function moduleOf(provide: object, useValue: object, global = false): DynamicModule {
  return {
    module: class ValueModule {},
    global,
    providers: [{ provide: provide as typeof Shops, useValue }],
    exports: [provide as typeof Shops],
  };
}
