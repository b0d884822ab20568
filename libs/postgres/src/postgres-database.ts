import { SafeLogger, type StoreUnavailableError } from '@tillkit/payments/internal/store';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type CustomTypesConfig, type PoolClient } from 'pg';
import { ClosingClient } from './closing-client.js';
import { qualified } from './functions/function-set.js';
import { cancelStatement } from './cancel-request.js';
import {
  gaveUpWaiting,
  isRepeatable,
  leavesConnectionUsable,
  saysReadOnly,
  toStoreError,
} from './postgres.errors.js';
import type { ResolvedPostgresStoreOptions } from './postgres.options.js';
import type { Row } from './row.js';
import { unencryptedWarning } from './unencrypted-connection.js';

/** Runs one statement, with the names of the schema: see `qualified`. */
export type Execute = (statement: string, values: readonly unknown[]) => Promise<Row[]>;

/**
 * The driver returns each column as the text that the server sent. Type parsers that the host has set for the whole process (int8
 * as BigInt, timestamps as strings) do not change what this package reads.
 */
const AS_TEXT = { getTypeParser: () => (value: string) => value } as CustomTypesConfig;

/**
 * We try a statement this often when others roll it back. Under a strict default isolation, of all statements that write one row at the
 * same moment only one succeeds.
 */
const ATTEMPTS = 10;
const MOST_WAIT_MS = 100;

/**
 * A statement of a migration, of a large table, or one that waits for the migration of another process may take this long. It has a limit,
 * because the server may disappear without a message.
 */
const LONG_MS = 3_600_000;

/** We keep the text, with the name of the schema, of this many statements. */
const MOST_QUALIFIED = 1_000;

/** A pool that has its own limit fails with this message. */
const POOL_IS_LATE = 'timeout exceeded when trying to connect';

/** This is more than the connections of any pool. */
const MOST_OLD = 1_000;

/** A connection pool and the schema that statements use. All fields are private, so `util.inspect` shows no password. */
export class Database {
  readonly #pool: Pool;
  readonly #owned: boolean;
  readonly #schema: string;
  readonly #connectTimeoutMs: number;
  readonly #timeoutMs: number;
  /**
   * The time when each connection was made, in milliseconds of `performance.now()`. A connection that is missing here is older than this
   * object.
   */
  readonly #madeAt = new WeakMap<object, number>();
  /** Older connections lead to a server that only reads. */
  #useSince = 0;
  readonly #qualified = new Map<string, string>();
  #closed: Promise<void> | undefined;
  #prepare: (() => Promise<void>) | undefined;
  #ready: Promise<void> | undefined;

  constructor(options: ResolvedPostgresStoreOptions) {
    this.#owned = options.pool === undefined;
    this.#schema = options.schema;
    this.#connectTimeoutMs = options.connectTimeoutMs;
    this.#timeoutMs = options.statementTimeoutMs;
    this.#pool =
      options.pool ??
      new Pool({
        connectionString: options.connectionString,
        max: options.poolSize,
        connectionTimeoutMillis: options.connectTimeoutMs,
        keepAlive: true,
        application_name: 'tillkit',
        Client: ClosingClient,
      });
    // Without a listener, an idle connection that the server closes would end the process. The pool replaces the connection.
    this.#pool.on('error', ignore);
    this.#pool.on('connect', this.#warnOnce).on('connect', this.#noteNew);
  }

  get schema(): string {
    return this.#schema;
  }

  /** A statement may take this many milliseconds. */
  get statementTimeoutMs(): number {
    return this.#timeoutMs;
  }

  /** Sets the work that runs before the first statement. If it fails, the next statement runs it again. */
  prepareWith(prepare: () => Promise<void>): void {
    this.#prepare = prepare;
  }

  /** Resolves when the work of {@link prepareWith} is done. */
  ready(): Promise<void> {
    this.#ready ??= (this.#prepare?.() ?? Promise.resolve()).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  /** Runs one statement in its own transaction, after the schema is ready. */
  readonly rows: Execute = async (statement, values) => {
    await this.ready();
    return this.direct(statement, values);
  };

  /** Runs one statement in its own transaction. Repeats it after a deadlock or a serialisation failure. */
  readonly direct: Execute = async (statement, values) => {
    const giveUpAt = performance.now() + this.#timeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#withClient((client) =>
          this.#query(client, statement, values, this.#timeoutMs),
        );
      } catch (error) {
        const isOver = attempt >= ATTEMPTS || performance.now() > giveUpAt;
        if (isOver || !isRepeatable(error)) throw toStoreError(error);
        // The wait is random, so that the same statements do not conflict again.
        await sleep(Math.random() * Math.min(2 ** attempt, MOST_WAIT_MS));
      }
    }
  };

  /**
   * Runs several statements in one transaction. When one fails, we close the connection, so the server rolls back, and nothing waits for
   * that.
   * @param limitMs the limit of each of them, in milliseconds
   */
  async transaction<T>(work: (execute: Execute) => Promise<T>, limitMs = LONG_MS): Promise<T> {
    try {
      return await this.#withClient(async (client) => {
        const execute: Execute = (statement, values) =>
          this.#query(client, statement, values, limitMs);
        await this.#query(client, 'begin', [], this.#timeoutMs);
        const result = await work(execute);
        await execute('commit', []);
        return result;
      }, isNeverUsable);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  qualify(statement: string): string {
    const existing = this.#qualified.get(statement);
    if (existing !== undefined) return existing;
    const named = qualified(statement, this.#schema);
    // Filters and limits make many different statements for lists.
    if (this.#qualified.size >= MOST_QUALIFIED) this.#qualified.clear();
    this.#qualified.set(statement, named);
    return named;
  }

  /** Closes the store's own pool after its running statements. A pool of the host stays open. */
  close(): Promise<void> {
    return (this.#closed ??= this.#end());
  }

  async #end(): Promise<void> {
    if (this.#owned) await this.#pool.end();
    else
      this.#pool.off('error', ignore).off('connect', this.#warnOnce).off('connect', this.#noteNew);
  }

  readonly #warnOnce = (client: PoolClient): void => {
    const warning = unencryptedWarning(client);
    if (warning === null) return;
    this.#pool.off('connect', this.#warnOnce);
    new SafeLogger().warn(warning);
  };

  readonly #noteNew = (client: PoolClient): void => {
    this.#madeAt.set(client, performance.now());
  };

  async #query(
    client: PoolClient,
    statement: string,
    values: readonly unknown[],
    timeoutMs: number,
  ): Promise<Row[]> {
    const query = {
      text: this.qualify(statement),
      values: values as unknown[],
      types: AS_TEXT,
      query_timeout: timeoutMs,
    };
    return (await client.query<Row>(query)).rows;
  }

  /**
   * A broken connection emits an error besides failing its query, and the pool listens only while the connection is idle. The callback runs
   * in the turn in which the pool stops listening. A promise would be too late for an error that the server sends together with its last
   * answer, and that error would end the process of the host.
   */
  #connect(): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      // The store's own pool has this limit. A pool of the host may have none, and may wait for ever for connections that its callers hold.
      const limit = this.#owned
        ? undefined
        : setTimeout(() => {
            isLate = true;
            reject(this.#noConnection());
          }, this.#connectTimeoutMs);
      this.#pool.connect((error, client) => {
        clearTimeout(limit);
        if (isLate) client?.release();
        else if (client) {
          client.on('error', ignore);
          resolve(client);
        } else reject(this.#noConnection(error));
      });
    });
  }

  /** @param error the error of the pool; undefined when the pool has not answered */
  #noConnection(error?: Error): StoreUnavailableError {
    const isLate = error === undefined || error.message === POOL_IS_LATE;
    if (this.#owned || !isLate)
      return toStoreError(error ?? new Error('its pool gave no connection'), false);
    const { totalCount, options } = this.#pool;
    const text =
      `your \`pool\` gave no connection in time (${totalCount} of at most ${options.max} are open). A transaction on this pool that calls request() ` +
      'waits for a second connection: call record() with { transaction } in it, or request() after its commit. Else raise `max` of the pool';
    return toStoreError(new Error(text, { cause: error }), false);
  }

  /**
   * Returns a connection that was made after we last found a server that only reads. After a failover, older connections lead to that same
   * server.
   */
  async #freshClient(): Promise<PoolClient> {
    for (let old = 0; ; old += 1) {
      const client = await this.#connect();
      // A pool of the host may not report when it makes a connection.
      if ((this.#madeAt.get(client) ?? 0) >= this.#useSince || old >= MOST_OLD) return client;
      client.off('error', ignore);
      client.release(true);
    }
  }

  async #withClient<T>(
    work: (client: PoolClient) => Promise<T>,
    leavesUsable = leavesConnectionUsable,
  ): Promise<T> {
    if (this.#closed) throw toStoreError(new Error('it was closed'), false);
    const client = await this.#freshClient();
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      broken = !leavesUsable(error);
      if (saysReadOnly(error)) this.#useSince = performance.now();
      if (gaveUpWaiting(error)) cancelStatement(client);
      throw error;
    } finally {
      client.off('error', ignore);
      client.release(broken);
    }
  }
}

function ignore(): void {}

function isNeverUsable(): boolean {
  return false;
}
