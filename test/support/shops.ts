import { Injectable } from '@nestjs/common';
import {
  PaymentsAccountsSource,
  type AddedAccountOptions,
  type LoadedAccountOptions,
} from '@tillkit/payments';
import type { Simulator } from '@tillkit/simulator';

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

/** The options of an account whose platform is this simulator. */
export function optionsOf(
  { url: baseUrl, clientId, clientSecret, apiKey }: Simulator,
  more: Partial<AddedAccountOptions> = {},
): AddedAccountOptions {
  return { baseUrl, clientId, clientSecret, apiKeys: [apiKey], tillNumber: '514459', ...more };
}
