import type { AccountOptions } from './accounts/account.options.js';
import type { PaymentsStore } from './payments.store.js';

/**
 * Options of one account. The default account reads each omitted setting from its `PAYMENTS_*` variable. A named account reads
 * nothing from the environment, so that two accounts never share credentials.
 * @example
 * PaymentsModule.forRoot({ account: 'shop', path: 'payments/shop', baseUrl: 'https://api.kopokopo.com', ... })
 * @publicApi
 */
export interface PaymentsOptions extends AccountOptions {
  /** Store of all accounts: two accounts that set one must set the same. @default the `PaymentsStore` that the application provides, else the memory of this process */
  store?: PaymentsStore;
}
