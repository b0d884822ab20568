import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgres, type EmbeddedPostgresOptions } from '@tillkit/postgres/embedded';
import pg, { type PoolClient, type QueryResultRow } from 'pg';

/**
 * The database of orders and payments: a PostgreSQL server from npm. Your application has a connection pool to its own
 * server instead.
 */
export class ShopDatabase {
  private constructor(
    private readonly server: EmbeddedPostgres,
    private readonly pool: pg.Pool,
  ) {}

  /** Starts the server and creates the shop's tables. */
  static async start(options: EmbeddedPostgresOptions): Promise<ShopDatabase> {
    const server = await EmbeddedPostgres.start(options);
    const pool = new pg.Pool({ connectionString: server.connectionString });
    // Without a handler, an idle connection that breaks would end the process. The pool opens a new one.
    pool.on('error', () => undefined);
    await pool.query(await readFile(join(import.meta.dirname, 'shop.sql'), 'utf8'));
    return new ShopDatabase(server, pool);
  }

  get url(): string {
    return this.server.connectionString;
  }

  async query<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    return (await this.pool.query<Row>(text, values)).rows;
  }

  /** Runs `work` in a transaction. Rolls back when `work` throws. */
  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      // Closing the connection rolls back, even if the connection has failed.
      client.release(true);
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.server.stop();
  }
}
