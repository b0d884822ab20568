import type { ModuleMetadata, Type } from '@nestjs/common';
import type { LoadedAccountOptions, PaymentsAccountsOptions } from './added-account.options.js';

/**
 * Loads accounts on their first use: from your database, with secrets from your vault. Provide it in any module; with it, an
 * account needs no `PaymentsAccounts.add()`. What it returns is kept in memory, and loaded again after `refreshMs`, when a delivery has a signature
 * that no known key explains, and when the platform refuses the client secret: new secrets need no restart.
 * @example
 * \@Injectable()
 * export class ShopAccounts extends PaymentsAccountsSource {
 *   constructor(private readonly shops: Shops, private readonly vault: Vault) { super(); }
 *
 *   async load(account: string): Promise<LoadedAccountOptions | null> {
 *     const shop = await this.shops.find(account);
 *     return shop && { account: shop.name, ...(await this.vault.secretsOf(account)), tillNumber: shop.till, tills: [shop.till] };
 *   }
 * }
 * // imports: [PaymentsModule.forAccounts()], providers: [{ provide: PaymentsAccountsSource, useClass: ShopAccounts }]
 * @see docs/guide.md#many-merchants
 * @publicApi
 */
export abstract class PaymentsAccountsSource {
  /**
   * Loads one account. It may be called for any name that somebody posts to: answer null for names that you do not know. If your database
   * compares without the case of letters, return the name that it has as `account`: another one than was asked for is no account.
   *
   * When you remove a merchant, return its options with `removed: true` until its open payments have ended: null means that nothing of it can be
   * read or verified any more.
   * @returns its options, or null when there is no such account
   * @throws whatever your database or vault throws: requests then fail, deliveries are answered 503, and an account that is known goes on
   *   with what was loaded before
   */
  abstract load(account: string): Promise<LoadedAccountOptions | null>;
}

/** What `PaymentsModule.forAccounts()` takes. @publicApi */
export interface PaymentsAccountsModuleOptions extends PaymentsAccountsOptions {
  /** Loads accounts that nobody has added. @default none */
  source?: Type<PaymentsAccountsSource>;
  /** Modules whose providers the source injects. @default [] */
  imports?: ModuleMetadata['imports'];
}
