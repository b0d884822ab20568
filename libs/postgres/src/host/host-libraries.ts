import type { PoolClient } from 'pg';
import { cancelStatement } from '../cancel-request.js';
import { PostgresConfigurationError } from '../postgres.errors.js';

/** An object of a database library. Of what it holds we know only the names. */
type Given = Readonly<Record<string, unknown>>;

const A_DAY_MS = 86_400_000;

type Method = (this: Given, ...args: readonly unknown[]) => unknown;

/** A database library of hosts. It is known by the shape of its objects, so this package imports none. */
export interface HostLibrary {
  name: string;
  /** Says where the host finds its transaction. */
  transactionIs: string;
  isTransaction(given: Given): boolean;
  /** Runs one statement in a transaction. */
  query(transaction: Given, text: string, values: readonly string[]): unknown;
  isDatabase(given: Given): boolean;
  /** Begins a transaction. It commits when the work resolves, and rolls back when the work rejects. */
  transact(
    database: Given,
    work: (transaction: unknown) => Promise<void>,
    limitMs: number,
  ): unknown;
}

const beginsWithCallback: HostLibrary['transact'] = (database, work) =>
  call(database, 'transaction', work);

const queryPlainly: HostLibrary['query'] = (transaction, text, values) =>
  call(transaction, 'query', text, values);

/** The first library that knows an object is its library. What only has `query(text, values)` comes last. */
const LIBRARIES: readonly HostLibrary[] = [
  {
    name: 'Prisma',
    transactionIs: 'the `tx` of `prisma.$transaction(async (tx) => ...)`',
    isTransaction: (given) => has(given, '$queryRawUnsafe') && !has(given, '$connect'),
    query: (transaction, text, values) => call(transaction, '$queryRawUnsafe', text, ...values),
    isDatabase: (given) => has(given, '$queryRawUnsafe', '$transaction', '$connect'),
    // Prisma would roll back after five seconds, while the listener runs.
    transact: (database, work, maxWait) =>
      call(database, '$transaction', work, { maxWait, timeout: A_DAY_MS }),
  },
  {
    name: 'Drizzle',
    transactionIs: 'the `tx` of `db.transaction(async (tx) => ...)`',
    isTransaction: (given) => has(given, 'execute', 'rollback', 'setTransaction'),
    query: (transaction, sql, params) =>
      call(transaction, 'execute', { getSQL: () => ({ toQuery: () => ({ sql, params }) }) }),
    isDatabase: (given) => has(given, 'execute', 'transaction', 'select'),
    transact: beginsWithCallback,
  },
  {
    name: 'Kysely',
    transactionIs: 'the `trx` of `db.transaction().execute(async (trx) => ...)`',
    isTransaction: isKyselyTransaction,
    query: queryKysely,
    isDatabase: (given) => has(given, 'executeQuery', 'transaction', 'withoutPlugins'),
    transact: (database, work) => call(call(database, 'transaction') as Given, 'execute', work),
  },
  {
    name: 'MikroORM',
    transactionIs: 'the `em` of `em.transactional(async (em) => ...)`',
    isTransaction: (given) =>
      has(given, 'getTransactionContext') && isObject(call(given, 'getTransactionContext')),
    // Its connection would leave the transaction. The context is Kysely's in MikroORM 7, and Knex's in MikroORM 6.
    query: (transaction, text, values) => {
      const context = call(transaction, 'getTransactionContext');
      return libraryOfTransaction(context).query(context as Given, text, values);
    },
    isDatabase: (given) => has(given, 'getTransactionContext', 'transactional', 'fork'),
    // Without a context of its own, it would join a transaction from which this call was made.
    transact: (database, work) =>
      call(call(database, 'fork', { useContext: false }) as Given, 'transactional', work),
  },
  {
    name: 'Knex',
    transactionIs: 'the `trx` of `knex.transaction(async (trx) => ...)`',
    isTransaction: (given) => has(given, 'raw', 'commit', 'rollback'),
    query: (transaction, text, values) => call(transaction, 'raw', ...withMarks(text, values)),
    isDatabase: (given) => has(given, 'raw', 'transaction') && !has(given, 'commit'),
    transact: beginsWithCallback,
  },
  {
    name: 'Sequelize',
    transactionIs: 'the `transaction` of `sequelize.transaction(async (transaction) => ...)`',
    isTransaction: (given) => has(given, 'commit', 'rollback') && isObject(given['sequelize']),
    query: (transaction, text, bind) =>
      call(transaction['sequelize'] as Given, 'query', text, { bind, transaction, type: 'SELECT' }),
    isDatabase: (given) => has(given, 'authenticate', 'transaction', 'query'),
    transact: beginsWithCallback,
  },
  {
    name: 'postgres.js',
    transactionIs: 'the `sql` of `sql.begin(async (sql) => ...)`',
    isTransaction: (given) => has(given, 'unsafe', 'savepoint'),
    query: (transaction, text, values) => call(transaction, 'unsafe', text, values),
    isDatabase: (given) => has(given, 'unsafe', 'begin'),
    transact: (database, work) => call(database, 'begin', work),
  },
  {
    name: '@nestjs-cls/transactional',
    transactionIs: '`host.tx` in `host.withTransaction(async () => ...)`',
    // Its transactions are those of the library behind it.
    isTransaction: () => false,
    query: queryPlainly,
    isDatabase: (given) => has(given, 'withTransaction'),
    // Without its own, it would join a transaction from which this call was made.
    transact: (database, work) =>
      call(database, 'withTransaction', 'REQUIRES_NEW', () => work(database['tx'])),
  },
  {
    name: 'TypeORM',
    transactionIs: 'the `manager` of `dataSource.transaction(async (manager) => ...)`',
    isTransaction: (given) =>
      (has(given, 'query', 'getRepository') || has(given, 'query', 'startTransaction')) &&
      !has(given, 'createQueryRunner'),
    query: queryPlainly,
    isDatabase: (given) => has(given, 'createQueryRunner', 'transaction'),
    transact: beginsWithCallback,
  },
  {
    name: 'pg-promise',
    transactionIs: 'the `t` of `db.tx(async (t) => ...)`',
    isTransaction: (given) => has(given, 'query', 'tx', 'batch') && !isObject(given['$pool']),
    query: queryPlainly,
    isDatabase: (given) => has(given, 'query', 'tx') && isObject(given['$pool']),
    transact: (database, work) => call(database, 'tx', work),
  },
  {
    name: 'pg',
    transactionIs: 'the client on which you ran `begin`',
    isTransaction: (given) => has(given, 'query') && !('totalCount' in given),
    query: queryPlainly,
    isDatabase: (given) => has(given, 'query', 'connect') && 'totalCount' in given,
    transact: transactOnPool,
  },
];

/**
 * Returns the library of an open transaction.
 * @throws PostgresConfigurationError that names what came instead
 */
export function libraryOfTransaction(given: unknown): HostLibrary {
  const library = libraryOf(given);
  if (library?.isTransaction(given as Given)) return library;
  throw new PostgresConfigurationError(
    library
      ? `\`transaction\` is ${nameOf(given)} of ${library.name}, which is no open transaction. Nothing was written. Pass ${library.transactionIs}`
      : `\`transaction\` is ${nameOf(given)}, which is no transaction. Nothing was written. Pass the open transaction of your database ` +
          'library, see docs/databases.md',
  );
}

/**
 * Returns the library of what begins transactions.
 * @throws PostgresConfigurationError that names what came instead
 */
export function libraryOfDatabase(given: unknown): HostLibrary {
  const library = libraryOf(given);
  if (library?.isDatabase(given as Given)) return library;
  throw new PostgresConfigurationError(
    `\`transactions\` is ${nameOf(given)}${library ? ` of ${library.name}` : ''}, which begins no transactions. Set it to your pool of \`pg\`, DataSource of ` +
      'TypeORM, PrismaClient, or what begins the transactions of your database library, see docs/databases.md',
  );
}

function libraryOf(given: unknown): HostLibrary | undefined {
  if (!isObject(given)) return undefined;
  return LIBRARIES.find((known) => known.isTransaction(given) || known.isDatabase(given));
}

/** @returns `the Pool` for an object of that class */
export function nameOf(given: unknown): string {
  if (!isObject(given)) return given == null ? String(given) : `a ${typeof given}`;
  const { name } = (given.constructor ?? {}) as { name?: unknown };
  const isNamed = typeof name === 'string' && !['', 'Object', 'Function'].includes(name);
  return isNamed ? `the ${name}` : 'an object';
}

/** Its plugins may rename our columns, and its camel-case plugin the keys within a `jsonb` value. */
function queryKysely(transaction: Given, sql: string, parameters: readonly string[]): unknown {
  return call(call(transaction, 'withoutPlugins') as Given, 'executeQuery', {
    sql,
    parameters,
    query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
    queryId: { queryId: '' },
  });
}

function isKyselyTransaction(given: Given): boolean {
  return has(given, 'executeQuery', 'withoutPlugins') && given['isTransaction'] === true;
}

/** Knex has a question mark for each value, in their order. */
function withMarks(text: string, values: readonly string[]): [string, string[]] {
  const inOrder: string[] = [];
  const marked = text.replace(/\$(\d+)/g, (_, place: string) => {
    inOrder.push(values[Number(place) - 1] as string);
    return '?';
  });
  return [marked, inOrder];
}

/**
 * A connection whose work failed is closed: a statement that the listener did not wait for must not run outside the transaction. It is cancelled, because the
 * server would not notice before its end that the connection has gone. A connection that breaks emits an error, which would end the process.
 */
async function transactOnPool(
  pool: Given,
  work: (transaction: unknown) => Promise<void>,
): Promise<void> {
  const client = (await call(pool, 'connect')) as PoolClient;
  client.on('error', ignore);
  let isBroken = true;
  try {
    await client.query('begin');
    await work(client);
    await client.query('commit');
    isBroken = false;
  } finally {
    if (isBroken) cancelStatement(client);
    client.off('error', ignore);
    client.release(isBroken);
  }
}

function ignore(): void {}

function call(given: Given, method: string, ...args: readonly unknown[]): unknown {
  return (given[method] as Method).call(given, ...args);
}

/** True when an object has all these methods. Some libraries give functions that have methods. */
function has(given: unknown, ...methods: readonly string[]): boolean {
  return isObject(given) && methods.every((method) => typeof given[method] === 'function');
}

export function isObject(given: unknown): given is Given {
  return (typeof given === 'object' || typeof given === 'function') && given !== null;
}
