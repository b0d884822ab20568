import type { Pool } from 'pg';
import { PostgresConfigurationError } from './postgres.errors.js';

/** How deliveries that arrive together are stored together. */
export interface DeliveryBatchOptions {
  /** Deliveries in one commit, at most. @default 64 */
  maxRows?: number;
  /** Bytes of bodies in one commit, at most. @default 4194304 */
  maxBytes?: number;
  /** Commits under way at once. @default 2 */
  inFlight?: number;
  /** Deliveries waiting for a commit; more are refused, which answers 503. @default 10000 */
  maxQueued?: number;
  /** Bytes of bodies waiting for a commit; more are refused, which answers 503. @default 67108864 */
  maxQueuedBytes?: number;
  /** Milliseconds a delivery may wait for its commit to begin. @default 5000 */
  timeoutMs?: number;
}

/**
 * Where the payments are. Nothing given: `PAYMENTS_DATABASE_URL`.
 * @publicApi
 */
export interface PostgresStoreOptions {
  /** The host's own pool. It stays the host's: the store never closes it. */
  pool?: Pool;
  /** `postgres://…`; the store has its own pool then. @default PAYMENTS_DATABASE_URL */
  connectionString?: string;
  /** Schema of the tables. Every statement names it; `search_path` is never used. @default 'tillkit' */
  schema?: string;
  /** Connections of the store's own pool, at most. @default 10 */
  poolSize?: number;
  /** Milliseconds to wait for a connection, of the store's own pool. @default 5000 */
  connectTimeoutMs?: number;
  /** Milliseconds a statement may take before the store counts as unavailable. @default 15000 */
  statementTimeoutMs?: number;
  /** Bring the schema up to date at start. `false`: only check it, `npx @tillkit/postgres migrate` does it. @default true */
  migrate?: boolean;
  batch?: DeliveryBatchOptions;
}

/** Options of which nothing is missing. */
export interface ResolvedPostgresStoreOptions {
  readonly pool: Pool | undefined;
  readonly connectionString: string | undefined;
  readonly schema: string;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly migrate: boolean;
  readonly batch: Required<DeliveryBatchOptions>;
}

/** Lower case, so that the name is the same with and without quotes in the host's own SQL. */
const IDENTIFIER = /^[a-z_][a-z0-9_]{0,62}$/;

export function resolvePostgresOptions(
  options: PostgresStoreOptions,
  environment: NodeJS.ProcessEnv = process.env,
): ResolvedPostgresStoreOptions {
  const connectionString = options.pool
    ? undefined
    : (options.connectionString ?? environment['PAYMENTS_DATABASE_URL']);
  if (!options.pool && !connectionString) {
    throw new PostgresConfigurationError(
      'PostgresStore has no database: set PAYMENTS_DATABASE_URL to postgres://user:password@host/database, ' +
        'or give `connectionString` or `pool`.',
    );
  }
  return {
    pool: options.pool,
    connectionString,
    schema: requireSchemaName(options.schema),
    poolSize: positive('poolSize', options.poolSize ?? 10),
    connectTimeoutMs: positive('connectTimeoutMs', options.connectTimeoutMs ?? 5_000),
    statementTimeoutMs: positive('statementTimeoutMs', options.statementTimeoutMs ?? 15_000),
    migrate: options.migrate ?? true,
    batch: {
      maxRows: positive('batch.maxRows', options.batch?.maxRows ?? 64),
      maxBytes: positive('batch.maxBytes', options.batch?.maxBytes ?? 4 * 2 ** 20),
      inFlight: positive('batch.inFlight', options.batch?.inFlight ?? 2),
      maxQueued: positive('batch.maxQueued', options.batch?.maxQueued ?? 10_000),
      maxQueuedBytes: positive(
        'batch.maxQueuedBytes',
        options.batch?.maxQueuedBytes ?? 64 * 2 ** 20,
      ),
      timeoutMs: positive('batch.timeoutMs', options.batch?.timeoutMs ?? 5_000),
    },
  };
}

/** The name of a schema, fit to stand in a statement. */
export function requireSchemaName(schema = 'tillkit'): string {
  if (IDENTIFIER.test(schema) && !schema.startsWith('pg_')) return schema;
  throw new PostgresConfigurationError(
    'The schema must be lower-case letters, digits and "_", 63 at most, and not begin with a digit or "pg_".',
  );
}

function positive(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw new PostgresConfigurationError(`${name} must be a whole number above 0.`);
}
