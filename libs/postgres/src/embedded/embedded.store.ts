import type { PostgresStoreOptions } from '../postgres.options.js';
import { PostgresStore } from '../postgres.store.js';
import { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres.js';

/** Options of the embedded server, and of the store that uses it. @publicApi */
export type EmbeddedPostgresStoreOptions = EmbeddedPostgresOptions &
  Omit<PostgresStoreOptions, 'pool' | 'connectionString'>;

/**
 * A store with an embedded PostgreSQL server, for development, tests and samples.
 * @example
 * const store = await EmbeddedPostgresStore.open({ dataDir: '.tillkit' });
 * PaymentsModule.forRoot({ store });
 * @see docs/postgres.md
 * @publicApi
 */
export class EmbeddedPostgresStore extends PostgresStore {
  readonly #server: EmbeddedPostgres;

  private constructor(server: EmbeddedPostgres, options: PostgresStoreOptions) {
    super({ ...options, connectionString: server.connectionString });
    this.#server = server;
  }

  /**
   * Starts the server, or takes over the one that runs on the directory. `close()` stops it.
   * @throws EmbeddedPostgresError if the server cannot start
   * @throws PostgresConfigurationError if an option of the store is invalid
   */
  static async open({
    dataDir,
    port,
    database,
    settings,
    ...options
  }: EmbeddedPostgresStoreOptions): Promise<EmbeddedPostgresStore> {
    const server = await EmbeddedPostgres.start({ dataDir, port, database, settings });
    return new EmbeddedPostgresStore(server, options);
  }

  /** The URL of the database. It contains the password: do not log it. */
  get connectionString(): string {
    return this.#server.connectionString;
  }

  /** Waits for pending writes, closes the store, then stops the server, unless another process uses it. */
  override async close(): Promise<void> {
    await super.close();
    await this.#server.stop();
  }
}
