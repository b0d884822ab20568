/** A method of a database library. We call it with what the library expects. */
type Method = (...args: never[]) => unknown;

/** The open transaction of a library with `query(text, values)`. The four names are of objects with that method that are no transaction. */
interface QueryTransaction {
  query(text: string, values: unknown[]): Promise<unknown>;
  /** `pg`'s `Pool`. */
  totalCount?: never;
  /** TypeORM's `DataSource`. */
  createQueryRunner?: never;
  /** pg-promise's `db`. */
  $pool?: never;
  /** Sequelize itself. */
  authenticate?: never;
}

/**
 * Your own open database transaction, for `record()` and `firstTime()`, as your library gives it:
 * - `pg`: the client that ran `begin`
 * - TypeORM: the `EntityManager` of `transaction()`, or a `QueryRunner`
 * - Prisma: the `tx` of `$transaction(async (tx) => ...)`
 * - Drizzle, Kysely, Knex, postgres.js, pg-promise: the argument of the callback of `transaction()`, `begin()` or `tx()`
 * - MikroORM: the `EntityManager` of `transactional()`
 * - Sequelize: the transaction
 * - `@nestjs-cls/transactional`: the `tx` of the `TransactionHost`
 *
 * Any other object with `query(text, values)` that runs in an open transaction works as well. What runs outside a transaction is
 * refused before anything is written.
 * @see docs/databases.md
 * @publicApi
 */
export type HostTransaction =
  | QueryTransaction
  | { $queryRawUnsafe: Method; $connect?: never }
  | { execute: Method; rollback: Method; setTransaction: Method }
  | { readonly isTransaction: true; executeQuery: Method; withoutPlugins: Method }
  | { raw: Method; commit: Method; rollback: Method }
  | { getTransactionContext: Method; isInTransaction: Method }
  | { commit: Method; rollback: Method; afterCommit: Method }
  | { unsafe: Method; savepoint: Method; begin?: never };

/**
 * What begins your own database transactions, for the option `transactions`: `pg`'s `Pool`, TypeORM's `DataSource`, the
 * `PrismaClient`, the `db` of Drizzle, Kysely or pg-promise, Knex, MikroORM's `EntityManager`, Sequelize, the `sql` of postgres.js, or
 * the `TransactionHost` of `@nestjs-cls/transactional`.
 * @see docs/databases.md
 * @publicApi
 */
export type HostDatabase =
  | { connect: Method; totalCount: number }
  | { transaction: Method; createQueryRunner: Method }
  | { $transaction: Method; $queryRawUnsafe: Method; $connect: Method }
  | { transaction: Method; execute: Method; select: Method }
  | { transaction: Method; readonly isTransaction: boolean; withoutPlugins: Method }
  | { transaction: Method; raw: Method; schema: unknown }
  | { transaction: Method; authenticate: Method }
  | { transactional: Method; getTransactionContext: Method; fork: Method }
  | { begin: Method; unsafe: Method }
  | { tx: Method; $pool: unknown }
  | { withTransaction: Method; tx: unknown };
