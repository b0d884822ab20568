/** Database libraries of hosts that are not installed in the root: npm run test:hosts. */
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { DataSource } from 'typeorm';
import type { HostLibrary, NamedLibrary } from '../support/host-libraries.js';
import { poolOf } from '../support/pool.js';

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

export const OBJECT_MAPPERS: readonly NamedLibrary[] = [
  { library: 'TypeORM', open: typeorm },
  { library: 'Kysely', open: kysely },
  { library: 'Drizzle', open: drizzled },
];
