import { Injectable, type INestApplication, type Provider } from '@nestjs/common';
import {
  PaymentsAccountsSource,
  PaymentsModule,
  PaymentsStore,
  type AddedAccountOptions,
  type LoadedAccountOptions,
} from '@tillkit/payments';
import type { PaymentsAccountsOptions } from '@tillkit/payments/types';
import type { Simulator } from '@tillkit/simulator';
import { listeningAt, moduleOf } from './application.js';
import { freePort } from './free.port.js';
import { PLATFORM } from './platform.js';
import { quicken } from './quick.clock.js';

/** The host's own database and vault. */
export class Shops {
  readonly options = new Map<string, LoadedAccountOptions>();
  readonly loads: string[] = [];
  /** The database fails in this way instead of answering. */
  failure: ((account: string) => Promise<LoadedAccountOptions | null>) | null = null;
  /** Loads wait for this promise after they have read the options. */
  delay: Promise<void> | null = null;
}

@Injectable()
export class ShopAccounts extends PaymentsAccountsSource {
  constructor(private readonly shops: Shops) {
    super();
  }

  async load(account: string): Promise<LoadedAccountOptions | null> {
    this.shops.loads.push(account);
    if (this.shops.failure) return this.shops.failure(account);
    const options = this.shops.options.get(account) ?? null;
    await this.shops.delay;
    return options;
  }
}

/** An application of shops, on Express. Its path of an account is `<origin>/payments/accounts/<account>`. */
export interface ShopsApplication {
  app: INestApplication;
  origin: string;
}

/**
 * @param shops null means that the host adds its accounts
 * @param speed its waits pass this many times faster
 */
export async function startShops(
  store: PaymentsStore,
  shops: Shops | null,
  options: PaymentsAccountsOptions = {},
  { providers = [], speed = 1 }: { providers?: Provider[]; speed?: number } = {},
): Promise<ShopsApplication> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const source = shops && { source: ShopAccounts, imports: [moduleOf(Shops, shops)] };
  const metadata = {
    imports: [
      moduleOf(PaymentsStore, store, true),
      PaymentsModule.forAccounts({ publicUrl: origin, ...options, ...source }),
    ],
    providers,
  };
  const app = await listeningAt(port, PLATFORM, metadata, (starting) => quicken(starting, speed));
  return { app, origin };
}

/** Returns the options of an account whose platform is this simulator. */
export function optionsOf(
  { url: baseUrl, clientId, clientSecret, apiKey }: Simulator,
  more: Partial<AddedAccountOptions> = {},
): AddedAccountOptions {
  return { baseUrl, clientId, clientSecret, apiKeys: [apiKey], tillNumber: '514459', ...more };
}
