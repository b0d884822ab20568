import { PostgresStore } from '@tillkit/postgres';
import { freshDatabase, PATIENT, type TestDatabase } from '../contracts/test-database.js';
import { tillkit, type Ran } from './command-line.js';
import { Merchant, type MerchantOptions } from './merchant.js';

/** A merchant whose application has its own PostgreSQL database, which commands use too. */
export class StoredMerchant {
  private constructor(
    readonly database: TestDatabase,
    readonly store: PostgresStore,
    readonly merchant: Merchant,
  ) {}

  static async open({
    payments,
    ...options
  }: Omit<MerchantOptions, 'platform'> = {}): Promise<StoredMerchant> {
    const database = await freshDatabase();
    const store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
    const merchant = await Merchant.open({
      ...options,
      payments: { ...payments, store },
    });
    return new StoredMerchant(database, store, merchant);
  }

  /** Runs `tillkit` with the database. */
  run(...args: string[]): Promise<Ran> {
    return tillkit(args, { environment: { PAYMENTS_DATABASE_URL: this.database.url } });
  }

  async close(): Promise<void> {
    await this.merchant.close();
    await this.store.close();
    await this.database.drop();
  }
}
