import type { HostTransaction } from '@tillkit/payments';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { poolOf } from './pool.js';

/** The database library of a host, used as the documentation of the library says. */
export interface HostLibrary {
  /** Commits when the work resolves, and rolls back when it rejects. The work gets the transaction as the guide shows it. */
  inTransaction<T>(work: (transaction: HostTransaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Commits when the work resolves, and rolls back when it rejects. */
export async function transactionOn<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

async function bare(url: string): Promise<HostLibrary> {
  const pool = poolOf(url);
  return {
    inTransaction: (work) => transactionOn(pool, work),
    close: () => pool.end(),
  };
}

async function typeorm(url: string): Promise<HostLibrary> {
  const dataSource = await new DataSource({ type: 'postgres', url }).initialize();
  return {
    inTransaction: (work) => dataSource.transaction((manager) => work(manager)),
    close: () => dataSource.destroy(),
  };
}

async function kysely(url: string): Promise<HostLibrary> {
  const pool = poolOf(url);
  const db = new Kysely({ dialect: new PostgresDialect({ pool }) });
  return {
    inTransaction: (work) =>
      db.transaction().execute((trx) =>
        work({
          query: (text, values) => trx.executeQuery(CompiledQuery.raw(text, values)),
        }),
      ),
    close: () => db.destroy(),
  };
}

async function drizzled(url: string): Promise<HostLibrary> {
  const pool = poolOf(url);
  const db = drizzle(pool);
  return {
    inTransaction: (work) =>
      db.transaction((tx) =>
        work({
          query: (text, values) => {
            const parts = text.split(/\$(\d+)/);
            const chunks = parts.map((part, index) =>
              index % 2 ? sql`${values[Number(part) - 1]}` : sql.raw(part),
            );
            return tx.execute(sql.join(chunks));
          },
        }),
      ),
    close: () => pool.end(),
  };
}

export const HOST_LIBRARIES = [
  { library: 'pg', open: bare },
  { library: 'TypeORM', open: typeorm },
  { library: 'Kysely', open: kysely },
  { library: 'Drizzle', open: drizzled },
] as const;
