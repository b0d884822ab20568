import pg, { type Pool, type PoolClient } from 'pg';
import { StoreUnavailableError } from '@tillkit/payments/store';
import { isRepeatable, leavesConnectionUsable, toStoreError } from './postgres.errors.js';
import type { ResolvedPostgresStoreOptions } from './postgres.options.js';
import type { Row } from './rows/row.js';

/** Runs one statement; `:schema` in it stands for the schema. */
export type Execute = (statement: string, values: readonly unknown[]) => Promise<Row[]>;

/**
 * Columns stay the server's own text: parsers that the host has set for its whole process (int8 as BigInt, timestamps as
 * strings) must not change what this package reads.
 */
const AS_TEXT = { getTypeParser: () => (value: string) => value } as pg.CustomTypesConfig;

const ATTEMPTS = 4;

/** A pool of connections and the schema in it. Shows nothing of its secrets to `util.inspect`: all of it is private. */
export class Database {
  readonly #pool: Pool;
  readonly #owned: boolean;
  readonly #schema: string;
  readonly #timeoutMs: number;
  readonly #qualified = new Map<string, string>();
  #closed: Promise<void> | undefined;

  constructor(options: ResolvedPostgresStoreOptions) {
    this.#owned = options.pool === undefined;
    this.#schema = options.schema;
    this.#timeoutMs = options.statementTimeoutMs;
    this.#pool =
      options.pool ??
      new pg.Pool({
        connectionString: options.connectionString,
        max: options.poolSize,
        connectionTimeoutMillis: options.connectTimeoutMs,
        keepAlive: true,
        application_name: 'tillkit',
      });
    // Without a listener, an idle connection that the server closes ends the process. The pool replaces it by itself.
    this.#pool.on('error', ignore);
  }

  get schema(): string {
    return this.#schema;
  }

  /** One statement, one commit. Repeated when the server rolled it back for the sake of another one. */
  readonly rows: Execute = async (statement, values) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#withClient((client) =>
          this.#query(client, statement, values, this.#timeoutMs),
        );
      } catch (error) {
        if (attempt >= ATTEMPTS || !isRepeatable(error)) throw toStoreError(error);
      }
    }
  };

  /** Several statements, one commit, and as long as it takes: a migration may have to wait for another process's. */
  async transaction<T>(work: (execute: Execute) => Promise<T>): Promise<T> {
    try {
      return await this.#withClient(async (client) => {
        await client.query('begin');
        try {
          const result = await work((statement, values) => this.#query(client, statement, values));
          await client.query('commit');
          return result;
        } catch (error) {
          await client.query('rollback');
          throw error;
        }
      });
    } catch (error) {
      throw toStoreError(error);
    }
  }

  qualify(statement: string): string {
    const known = this.#qualified.get(statement);
    if (known !== undefined) return known;
    const qualified = statement.replaceAll(':schema', `"${this.#schema}"`);
    this.#qualified.set(statement, qualified);
    return qualified;
  }

  /** Lets what is under way end. A pool of the host stays open. */
  close(): Promise<void> {
    return (this.#closed ??= this.#end());
  }

  async #end(): Promise<void> {
    if (this.#owned) await this.#pool.end();
    else this.#pool.off('error', ignore);
  }

  async #query(
    client: PoolClient,
    statement: string,
    values: readonly unknown[],
    timeoutMs?: number,
  ): Promise<Row[]> {
    const query = {
      text: this.qualify(statement),
      values: values as unknown[],
      types: AS_TEXT,
      query_timeout: timeoutMs,
    };
    return (await client.query<Row>(query)).rows;
  }

  async #withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#closed) throw new StoreUnavailableError('it was closed');
    const client = await this.#pool.connect();
    // A connection that breaks tells its query and itself; the pool listens only while it is idle.
    client.on('error', ignore);
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      broken = !leavesConnectionUsable(error);
      throw error;
    } finally {
      client.off('error', ignore);
      client.release(broken);
    }
  }
}

function ignore(): void {}
