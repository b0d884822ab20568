import type { PaymentsModuleExtras } from '../payments.module-definition.js';
import type { PaymentsOptions } from '../payments.options.js';

/** What belongs to one merchant, so that no other account can use it. */
type Own =
  'account' | 'clientId' | 'clientSecret' | 'apiKeys' | 'tillNumber' | 'tills' | 'tillAliases';

/**
 * An account that is added while the application runs. Options that it leaves out come from `PaymentsModule.forAccounts()`, then from
 * `PAYMENTS_BASE_URL`, `PAYMENTS_PUBLIC_URL` and the other variables that are no credentials.
 * @publicApi
 */
export interface AddedAccountOptions extends Omit<PaymentsOptions, 'account' | 'store'> {
  /** Whether the merchant has left: no new requests, while what is open goes on. @default false */
  removed?: boolean;
}

/** An account that a `PaymentsAccountsSource` returns. @publicApi */
export interface LoadedAccountOptions extends AddedAccountOptions {
  /**
   * The name of the account as your database has it. Another spelling is then another account, which does not exist. Set it if your database
   * finds `Shop-1` when it is asked for `shop-1`.
   * @default the name that was asked for
   */
  account?: string;
}

/** Options of `PaymentsModule.forAccounts()`: what accounts that are added while the application runs have in common. @publicApi */
export interface PaymentsAccountsOptions
  extends
    Omit<PaymentsOptions, Own | 'store'>,
    Pick<PaymentsModuleExtras, 'path' | 'controllerDecorators'> {
  /**
   * Milliseconds after which an account in use is loaded from the `PaymentsAccountsSource` again.
   * @default 300000 (5 min)
   */
  refreshMs?: number;
  /**
   * Milliseconds for which a removed account is kept at least: results of requests that the library does not follow still come.
   * @default 86400000 (1 day)
   */
  keepRemovedMs?: number;
}
