import type { PostgresStoreOptions } from '../postgres.options.js';
import { PostgresStore } from '../postgres.store.js';
import { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres.js';

/** The embedded server and the store on it. @publicApi */
export type EmbeddedPostgresStoreOptions = EmbeddedPostgresOptions &
  Omit<PostgresStoreOptions, 'pool' | 'connectionString'>;

/**
 * A store with its own PostgreSQL server from npm: for development, tests and samples.
 * @publicApi
 */
export class EmbeddedPostgresStore extends PostgresStore {
  readonly #server: EmbeddedPostgres;

  private constructor(server: EmbeddedPostgres, options: PostgresStoreOptions) {
    super({ ...options, connectionString: server.connectionString });
    this.#server = server;
  }

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

  /** With the password: not for logs. */
  get connectionString(): string {
    return this.#server.connectionString;
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#server.stop();
  }
}
