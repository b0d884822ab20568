import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgres, type EmbeddedPostgresOptions } from '@tillkit/postgres/embedded';
import pg, { type PoolClient, type QueryResultRow } from 'pg';

/**
 * The database of orders and payments: a PostgreSQL server from npm. Your application has a pool of connections to a
 * server of its own instead.
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
    // An idle connection that breaks would end the process; the pool replaces it.
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

  /** Commits what `work` does with the client, or nothing of it when `work` throws. */
  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      // Closing the connection rolls back, also when the connection itself has failed.
      client.release(true);
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.server.stop();
  }
}
