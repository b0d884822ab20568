import { join } from 'node:path';
import { EmbeddedPostgres } from '@tillkit/postgres/embedded';
import pg from 'pg';

/** Orders and the till's book, beside the payments in the same database. */
const SCHEMA = `
create schema if not exists shop;
create table if not exists shop.orders (id text primary key, document jsonb not null);
create table if not exists shop.till (
  place bigint generated always as identity, id text primary key, reference text, webhook_event_id text, entry jsonb not null
);
create index if not exists till_reference on shop.till (reference);
create index if not exists till_webhook_event on shop.till (webhook_event_id);
create table if not exists shop.thanks (webhook_event_id text primary key, state text not null);
`;

/** The shop's PostgreSQL: the one of PAYMENTS_DATABASE_URL, or one that comes from npm and lives in the shop's directory. */
export class ShopDatabase {
  private constructor(
    readonly url: string,
    readonly pool: pg.Pool,
    private readonly server: EmbeddedPostgres | null,
  ) {}

  static async open(directory: string, url: string | undefined): Promise<ShopDatabase> {
    const server = url
      ? null
      : await EmbeddedPostgres.start({ dataDir: join(directory, 'postgres') });
    const connectionString = url ?? (server as EmbeddedPostgres).connectionString;
    const pool = new pg.Pool({ connectionString, max: 5 });
    // A connection that breaks while it is idle is replaced by the next one.
    pool.on('error', () => undefined);
    await pool.query(SCHEMA);
    return new ShopDatabase(connectionString, pool, server);
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.server?.stop();
  }
}
