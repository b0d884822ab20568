import { createHash } from 'node:crypto';
import { FUNCTION_SET, FUNCTIONS, qualified } from './functions/function-set.js';
import { MIGRATIONS, type Migration } from './migrations/index.js';
import type { Database, Execute } from './postgres-database.js';
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
);
-- The sets of functions that are there: those of this version, and of some before it.
create table :schema.function_set (
  checksum text primary key,
  installed_at timestamptz not null default clock_timestamp()
)`;

const APPLIED = `select id::text, checksum, breaks::text from :schema.migration order by id`;

const RECORD = `insert into :schema.migration (id, name, checksum, breaks) values ($1, $2, $3, $4)`;

const HAS_FUNCTIONS = `select from :schema.function_set where checksum = $1`;

/** The functions call each other in any order, so their bodies cannot be checked one by one. */
const WITHOUT_CHECKS = `set local check_function_bodies = off`;

const RECORD_FUNCTIONS = `insert into :schema.function_set (checksum) values ($1)`;

/** We keep this many sets, because processes of earlier versions may still run. */
const KEPT_SETS = 3;

const DELETE_OLD_SETS = `delete from :schema.function_set where checksum in (
  select checksum from :schema.function_set order by installed_at desc offset $1)
returning checksum`;

const FUNCTIONS_OF_SET = `select oid::regprocedure::text as name from pg_catalog.pg_proc
where pronamespace = $1::regnamespace and proname like '%\\_' || $2`;

/** The lock belongs to the transaction. So it also works behind a pooler that gives each transaction another connection. */
const LOCK = `select pg_advisory_xact_lock(hashtextextended('tillkit:' || $1, 0))::text`;

export interface MigrateResult {
  /** The names of the migrations that ran, in their order, and of the set of functions. */
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
  // We check first without the lock, so that processes do not wait for each other when there is nothing to do.
  if ((await missingParts(database.direct, database.schema, migrations)).length === 0)
    return { applied: [] };
  return database.transaction(async (execute) => {
    await execute(LOCK, [database.schema]);
    const missing = await missingParts(execute, database.schema, migrations);
    if (missing.length === 0) return { applied: [] };
    const pending = await pendingMigrations(execute, database.schema, migrations);
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
    if (missing.includes(FUNCTIONS_NAME)) await installFunctions(execute, database.schema);
    return { applied: missing };
  });
}

/** Installs the functions of this version. The sets of the latest versions stay, and older ones are dropped. */
async function installFunctions(execute: Execute, schema: string): Promise<void> {
  await execute(WITHOUT_CHECKS, []);
  await execute(FUNCTIONS.join('\n'), []);
  await execute(RECORD_FUNCTIONS, [FUNCTION_SET]);
  for (const old of await execute(DELETE_OLD_SETS, [KEPT_SETS]))
    for (const row of await execute(FUNCTIONS_OF_SET, [`"${schema}"`, text(old, 'checksum')]))
      await execute(`drop function ${text(row, 'name')}`, []);
}

/** The name of this version's set of functions in a list of migrations. */
const FUNCTIONS_NAME = `functions.${FUNCTION_SET}`;

/** Returns the parts of this version's schema that a database lacks: names of migrations in their order, then the set of functions. */
export async function missingParts(
  execute: Execute,
  schema: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<string[]> {
  const pending = (await pendingMigrations(execute, schema, migrations)).map(nameOf);
  const hasTable = (await execute(TABLE_EXISTS, [schema])).length > 0;
  const hasFunctions = hasTable && (await execute(HAS_FUNCTIONS, [FUNCTION_SET])).length > 0;
  return hasFunctions ? pending : [...pending, FUNCTIONS_NAME];
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
  const missing = await missingParts(database.direct, database.schema, migrations);
  if (missing.length > 0) {
    throw new PostgresSchemaError(
      `schema "${database.schema}" lacks ${missing.join(', ')}; ` +
        'run `npx @tillkit/cli migrate`, or leave out `migrate: false`',
    );
  }
}

/**
 * Another encoding lacks characters, so a name with an emoji would make its row unwritable. The encoding can only be chosen when a database
 * is made.
 */
async function checkEncoding(database: Database): Promise<void> {
  const [row] = await database.direct(ENCODING, []);
  const encoding = text(row as Row, 'encoding');
  if (encoding === 'UTF8') return;
  throw new PostgresConfigurationError(
    `the database has encoding ${encoding}, which cannot store every name that the platform sends: make one with encoding UTF8 ` +
      '(createdb --encoding=UTF8 --template=template0) and copy the data',
  );
}

/** Returns the SQL that `migrate` runs on an empty database, for people who read it or run it by hand. */
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
  const functions = [
    `${WITHOUT_CHECKS};\n`,
    ...FUNCTIONS,
    `insert into :schema.function_set (checksum) values ('${FUNCTION_SET}');\n`,
  ];
  const head = ['begin;\n', `${CREATE_SCHEMA};\n`, `${CREATE_TABLE};\n`];
  return qualified([...head, ...steps, ...functions, 'commit;\n'].join('\n'), schema);
}

/**
 * Returns the migrations that this version still has to run. During a rolling upgrade, processes of the older version keep running, and restart, on
 * the schema of the newer one. So they ignore migrations that they do not know, unless one breaks them.
 * @throws PostgresSchemaError if the schema is too new, or if other migrations made it
 */
async function pendingMigrations(
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

function nameOf({ id, name }: Migration): string {
  return `${String(id).padStart(6, '0')}.${name}`;
}

function checksum({ sql }: Migration): string {
  return createHash('sha256').update(sql).digest('hex');
}
