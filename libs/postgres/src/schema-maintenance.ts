import { migrate, missingParts, printMigrations } from './migrate.js';
import { Database } from './postgres-database.js';
import { PostgresSchemaError } from './postgres.errors.js';
import {
  requireSchemaName,
  resolvePostgresOptions,
  type PostgresStoreOptions,
} from './postgres.options.js';
import { text } from './row.js';

/** The version of a database, and the state of the store's schema in it. @publicApi */
export interface SchemaInspection {
  /** The version of the server: `18.1`. */
  serverVersion: string;
  /** The schema that was looked at. */
  schema: string;
  /** Names of the migrations that are missing, in their order, and of the set of functions. */
  pending: readonly string[];
  /** The reason why this version cannot use the schema: it is newer, or other migrations made it. Null when it can. */
  problem: string | null;
}

const VERSION = `select current_setting('server_version') as version`;

/**
 * Brings the schema up to date, for a deployment that does so before the application starts.
 * @returns the schema, and the names of the migrations that ran
 * @throws PostgresSchemaError if a newer version has broken the schema for this one, or other migrations made it
 * @throws StoreUnavailableError if the database cannot be used
 * @publicApi
 */
export function migrateSchema(
  options: PostgresStoreOptions = {},
): Promise<{ schema: string; applied: readonly string[] }> {
  return withDatabase(options, async (database) => {
    const { applied } = await migrate(database);
    return { schema: database.schema, applied };
  });
}

/**
 * Returns the SQL that `migrateSchema` runs on an empty database, for a role that has the right to.
 * @param schema name of the schema. @default 'tillkit'
 * @publicApi
 */
export function printSchema(schema?: string): string {
  return printMigrations(requireSchemaName(schema));
}

/**
 * Reads the version of the server and the migrations that are missing. It changes nothing.
 * @throws StoreUnavailableError if the database cannot be used
 * @publicApi
 */
export function inspectSchema(options: PostgresStoreOptions = {}): Promise<SchemaInspection> {
  return withDatabase(options, async (database) => {
    const [row] = await database.direct(VERSION, []);
    const found = { serverVersion: row ? text(row, 'version') : '', schema: database.schema };
    try {
      const pending = await missingParts(database.direct, database.schema);
      return { ...found, pending, problem: null };
    } catch (error) {
      if (!(error instanceof PostgresSchemaError)) throw error;
      return { ...found, pending: [], problem: error.message };
    }
  });
}

async function withDatabase<T>(
  options: PostgresStoreOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = new Database(resolvePostgresOptions({ poolSize: 1, ...options }));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
