import { createHash } from 'node:crypto';
import { MIGRATIONS, type Migration } from './migrations/index.js';
import type { Database, Execute } from './postgres.database.js';
import { PostgresConfigurationError, PostgresSchemaError } from './postgres.errors.js';
import { boolean, number, text, type Row } from './row.js';

const SCHEMA_EXISTS = `select from pg_catalog.pg_namespace where nspname = $1`;

const ENCODING = `select getdatabaseencoding() as encoding`;

const TABLE_EXISTS = `select from pg_catalog.pg_tables where schemaname = $1 and tablename = 'migration'`;

const CREATE_SCHEMA = `create schema :schema`;

const CREATE_TABLE = `create table :schema.migration (
  id integer primary key,
  name text not null,
  checksum text not null,
  -- Whether versions that do not know it must not use the schema any more.
  breaks boolean not null default false,
  applied_at timestamptz not null default now()
)`;

const APPLIED = `select id::text, checksum, breaks::text from :schema.migration order by id`;

const RECORD = `insert into :schema.migration (id, name, checksum, breaks) values ($1, $2, $3, $4)`;

/** A lock of the transaction, so that it also works behind a pooler that gives each transaction another connection. */
const LOCK = `select pg_advisory_xact_lock(hashtextextended('tillkit:' || $1, 0))::text`;

export interface MigrateResult {
  /** The names of the migrations that ran, in their order. */
  applied: string[];
}

/**
 * Brings the schema up to date in one transaction. If several processes call it at the same time, one of them runs the
 * migrations and the others wait.
 * @throws PostgresConfigurationError if the encoding of the database is not UTF8
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<MigrateResult> {
  await checkEncoding(database);
  // First without the lock, so that processes do not wait for each other when there is nothing to do.
  if ((await pendingMigrations(database.direct, database.schema, migrations)).length === 0) {
    return { applied: [] };
  }
  return database.transaction(async (execute) => {
    await execute(LOCK, [database.schema]);
    const pending = await pendingMigrations(execute, database.schema, migrations);
    if (pending.length === 0) return { applied: [] };
    // `create schema if not exists` would need the privilege to create a schema even if it exists.
    if ((await execute(SCHEMA_EXISTS, [database.schema])).length === 0)
      await execute(CREATE_SCHEMA, []);
    if ((await execute(TABLE_EXISTS, [database.schema])).length === 0)
      await execute(CREATE_TABLE, []);
    for (const migration of pending) {
      await execute(migration.sql, []);
      const { id, name, breaks = false } = migration;
      await execute(RECORD, [id, name, checksum(migration), breaks]);
    }
    return { applied: pending.map(nameOf) };
  });
}

/**
 * @throws PostgresSchemaError if the schema is not exactly the one of this version
 * @throws PostgresConfigurationError if the encoding of the database is not UTF8
 */
export async function checkSchema(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await checkEncoding(database);
  const pending = await pendingMigrations(database.direct, database.schema, migrations);
  if (pending.length > 0) {
    throw new PostgresSchemaError(
      `schema "${database.schema}" lacks ${pending.map(nameOf).join(', ')}; ` +
        'run `npx @tillkit/cli migrate`, or leave out `migrate: false`',
    );
  }
}

/** Another encoding lacks characters: one name with an emoji would make its row unwritable. It can only be chosen when a database is made. */
async function checkEncoding(database: Database): Promise<void> {
  const [row] = await database.direct(ENCODING, []);
  const encoding = text(row as Row, 'encoding');
  if (encoding === 'UTF8') return;
  throw new PostgresConfigurationError(
    `the database has encoding ${encoding}, which cannot store every name that the platform sends: make one with encoding UTF8 ` +
      '(createdb --encoding=UTF8 --template=template0) and copy the data',
  );
}

/** The SQL that `migrate` runs on an empty database, for people who read it or run it by hand. */
export function printMigrations(
  schema: string,
  migrations: readonly Migration[] = MIGRATIONS,
): string {
  const steps = migrations.map(
    (migration) =>
      `-- ${nameOf(migration)}\n${migration.sql.trim()}\n\n` +
      `insert into :schema.migration (id, name, checksum, breaks)\n` +
      `values (${migration.id}, '${migration.name}', '${checksum(migration)}', ${migration.breaks ?? false});\n`,
  );
  return ['begin;\n', `${CREATE_SCHEMA};\n`, `${CREATE_TABLE};\n`, ...steps, 'commit;\n']
    .join('\n')
    .replaceAll(':schema', `"${schema}"`);
}

/**
 * During a rolling upgrade processes of the older version go on, and are restarted, on the schema of the newer one: migrations that they do not
 * know are none of their business, unless one breaks them.
 * @throws PostgresSchemaError if the schema is too new, or if other migrations made it
 */
export async function pendingMigrations(
  execute: Execute,
  schema: string,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  if ((await execute(TABLE_EXISTS, [schema])).length === 0) return migrations;
  const applied = await execute(APPLIED, []);
  const newer = applied.filter((row) => !migrations.some(({ id }) => id === number(row, 'id')));
  const breaking = newer.filter((row) => boolean(row, 'breaks'));
  if (breaking.length > 0) {
    throw new PostgresSchemaError(
      `schema "${schema}" is too new for this version of @tillkit/postgres: it has migration ` +
        `${breaking.map((row) => text(row, 'id')).join(', ')}, this version knows ${migrations.length}. ` +
        'Install the version that made it, or a later one',
    );
  }
  return migrations.filter((migration) => !wasApplied(migration, applied, schema));
}

function wasApplied(migration: Migration, applied: readonly Row[], schema: string): boolean {
  const row = applied.find((candidate) => number(candidate, 'id') === migration.id);
  if (!row) return false;
  if (text(row, 'checksum') === checksum(migration)) return true;
  throw new PostgresSchemaError(
    `migration ${nameOf(migration)} of schema "${schema}" is not the one of this version (its checksum differs). ` +
      'Was the schema made by an unreleased version? Give another `schema`, or restore the one that was released',
  );
}

export function nameOf({ id, name }: Migration): string {
  return `${String(id).padStart(6, '0')}.${name}`;
}

function checksum({ sql }: Migration): string {
  return createHash('sha256').update(sql).digest('hex');
}
