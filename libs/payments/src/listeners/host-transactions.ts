import { Injectable } from '@nestjs/common';
import { PaymentsConfigurationError } from '../payments.errors.js';
import type { HostDatabase } from '../store/host-transaction.js';

/** What begins the transactions of the host, in which listeners with `transactional: true` are called: one for all accounts. */
@Injectable()
export class HostTransactions {
  private database: HostDatabase | undefined;

  /**
   * Uses the option `transactions` of an account.
   * @throws PaymentsConfigurationError when another account has set another one
   */
  use(database: HostDatabase | undefined): void {
    if (this.database && database && this.database !== database) {
      throw new PaymentsConfigurationError([
        'two accounts set different `transactions`, and one database has the payments of all accounts: give both the same object, or set ' +
          'it for one of them',
      ]);
    }
    this.database ??= database;
  }

  /** @throws PaymentsConfigurationError when no account has set the option */
  databaseFor(listener: string): HostDatabase {
    if (this.database) return this.database;
    throw new PaymentsConfigurationError([
      `the listener ${listener} has \`transactional: true\`, and nothing begins its transactions: set \`transactions\`, for example ` +
        'PaymentsModule.forRootAsync({ inject: [DataSource], useFactory: (dataSource) => ({ transactions: dataSource }) }); ' +
        'see docs/databases.md',
    ]);
  }
}
