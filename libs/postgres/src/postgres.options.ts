import { Client, type Pool } from 'pg';
import { misspeltVariables, rawTextProblem, unreadFile } from '@tillkit/payments/internal/store';
import { PostgresConfigurationError } from './postgres.errors.js';

/**
 * The database of the store, and how the store uses it. Give `pool` or `connectionString`, or set `PAYMENTS_DATABASE_URL`.
 * @example
 * { connectionString: 'postgres://user:password@host/database', schema: 'payments', poolSize: 20 }
 * @see docs/postgres.md
 * @publicApi
 */
export interface PostgresStoreOptions {
  /** A pool of the host. The store uses it and never closes it. */
  pool?: Pool;
  /** `postgres://user:password@host/database`. The store opens a pool of its own. @default PAYMENTS_DATABASE_URL */
  connectionString?: string;
  /**
   * A replica of the database, for lists, totals and reports, which may be a little old. While the replica is away, they read from the
   * primary. Everything that decides about money reads from the primary. @default PAYMENTS_DATABASE_READ_URL, else no replica
   */
  readConnectionString?: string;
  /** Schema of the tables. Every statement names it; `search_path` has no effect. @default 'tillkit' */
  schema?: string;
  /** Connections of the store's own pool, at most. @default 10 */
  poolSize?: number;
  /**
   * The store waits this many milliseconds for a connection of the pool, also of yours. Then it throws `StoreUnavailableError`. @default
   * 5000
   */
  connectTimeoutMs?: number;
  /**
   * A statement may take this many milliseconds. Then the store throws `StoreUnavailableError`, and the outcome of a write is unknown. A
   * write waits for at most a third of this time to begin.
   * @default 15000
   */
  statementTimeoutMs?: number;
  /**
   * True makes the store bring the schema up to date. False makes it only check the schema: run `npx @tillkit/cli migrate`. @default true
   */
  migrate?: boolean;
}

/** The options with all defaults. */
export interface ResolvedPostgresStoreOptions {
  readonly pool: Pool | undefined;
  readonly connectionString: string | undefined;
  readonly readConnectionString: string | undefined;
  readonly schema: string;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly migrate: boolean;
}

/** Error messages name the sources of a database's address so. */
const OF_PRIMARY = 'PAYMENTS_DATABASE_URL, `connectionString` or --url';
const OF_REPLICA = 'PAYMENTS_DATABASE_READ_URL or `readConnectionString`';

/** Lower case, so that SQL of the host can use the name with and without quotes. */
const IDENTIFIER = /^[a-z_][a-z0-9_]{0,62}$/;

/** We refuse any other option, because it may have been an option of an earlier version, and the host must know that it has no effect. */
const OPTIONS: ReadonlySet<string> = new Set<keyof PostgresStoreOptions>([
  'pool',
  'connectionString',
  'readConnectionString',
  'schema',
  'poolSize',
  'connectTimeoutMs',
  'statementTimeoutMs',
  'migrate',
]);

export function resolvePostgresOptions(
  options: PostgresStoreOptions,
  environment: NodeJS.ProcessEnv = process.env,
): ResolvedPostgresStoreOptions {
  const unknown = Object.keys(options).find((name) => !OPTIONS.has(name));
  if (unknown !== undefined)
    throw new PostgresConfigurationError(
      `\`${unknown}\` is no option of PostgresStore: remove it.`,
    );
  const connectionString = options.pool
    ? undefined
    : (options.connectionString ?? environment['PAYMENTS_DATABASE_URL']);
  if (!options.pool && !connectionString) throw noDatabase(environment);
  if (connectionString) requireDatabaseUrl(connectionString, OF_PRIMARY);
  const readConnectionString =
    options.readConnectionString ?? (environment['PAYMENTS_DATABASE_READ_URL'] || undefined);
  if (readConnectionString) requireDatabaseUrl(readConnectionString, OF_REPLICA);
  return {
    pool: options.pool,
    connectionString,
    readConnectionString,
    schema: requireSchemaName(options.schema),
    poolSize: positive('poolSize', options.poolSize ?? 10),
    connectTimeoutMs: positive('connectTimeoutMs', options.connectTimeoutMs ?? 5_000),
    statementTimeoutMs: positive('statementTimeoutMs', options.statementTimeoutMs ?? 15_000),
    migrate: options.migrate ?? true,
  };
}

function noDatabase(environment: NodeJS.ProcessEnv): PostgresConfigurationError {
  const misspelt = misspeltVariables(Object.keys(environment));
  const causes = [
    ...misspelt.filter((problem) => problem.includes('PAYMENTS_DATABASE_URL')),
    ...unreadFile(['PAYMENTS_DATABASE_URL']),
  ];
  return new PostgresConfigurationError(
    [
      'PostgresStore has no database: set PAYMENTS_DATABASE_URL to postgres://user:password@host/database, ' +
        'or give `connectionString` or `pool`.',
      ...causes,
    ].join('\n  - '),
  );
}

/**
 * Names the database for a person: host, port and name, without user and password.
 * @throws PostgresConfigurationError if there is no database, or if its URL or schema cannot be used
 * @publicApi
 */
export function databaseName(
  options: Pick<PostgresStoreOptions, 'connectionString' | 'schema'> = {},
): string {
  const { connectionString = '' } = resolvePostgresOptions(options);
  const { host, port, database } = readDatabaseUrl(connectionString, OF_PRIMARY);
  return `${host}:${port}/${database}`;
}

/**
 * The driver reads the URL again for each connection, and an error there would look as if the database were away. Its error repeats the
 * text that it could not read, so we do not keep it as the cause.
 */
function requireDatabaseUrl(text: string, names: string): void {
  const raw = rawTextProblem(text);
  if (raw) throw unreadableUrl(names, `it ${raw}`);
  if (!/^(postgres(ql)?:\/\/|socket:|\/)/.test(text))
    throw unreadableUrl(names, 'it does not begin with postgres://');
  if (!isPort(readDatabaseUrl(text, names).port))
    throw unreadableUrl(names, 'its port, or PGPORT, is no number from 1 to 65535');
}

function readDatabaseUrl(text: string, names: string): Client {
  try {
    return new Client({ connectionString: text });
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    throw unreadableUrl(
      names,
      path === undefined ? 'it is no URL' : `its file ${path} cannot be read (${code})`,
    );
  }
}

/** With another port, the driver's pool counts a connection that neither opens nor ends. Then closing the pool never ends. */
function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

function unreadableUrl(names: string, why: string): PostgresConfigurationError {
  return new PostgresConfigurationError(
    `${names} cannot be used: ${why}. Write postgres://user:password@host:5432/database, ` +
      'and in a password %40 for @, %23 for #, %2F for / and %25 for %.',
  );
}

/** Returns a name that is safe in a statement. @throws PostgresConfigurationError if it is invalid */
export function requireSchemaName(schema = 'tillkit'): string {
  if (IDENTIFIER.test(schema) && !schema.startsWith('pg_')) return schema;
  throw new PostgresConfigurationError(
    'The name of the schema must have 1 to 63 lower-case letters, digits and "_", and must not begin with a digit or "pg_".',
  );
}

function positive(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw new PostgresConfigurationError(`${name} must be a whole number above 0.`);
}
