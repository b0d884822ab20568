import type { AccountOptions } from './accounts/account.options.js';
import type { HostDatabase } from './store/host-transaction.js';
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
  /**
   * What begins your own database transactions, for listeners with `transactional: true`: the pool of `pg`, TypeORM's `DataSource`, the
   * `PrismaClient`, and so on. One for all accounts. @default none: such a listener is refused at the start
   */
  transactions?: HostDatabase;
}
