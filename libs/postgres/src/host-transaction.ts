import type { HostTransaction } from '@tillkit/payments/store';
import type { Database, Execute } from './postgres.database.js';
import { PostgresConfigurationError } from './postgres.errors.js';
import type { Row } from './rows/row.js';

/**
 * Statements through the host's transaction. Its errors stay its own: what retries a serialisation failure must see it.
 */
export function inHostTransaction(transaction: HostTransaction, database: Database): Execute {
  return async (statement, values) =>
    rowsOf(await transaction.query(database.qualify(statement), [...values]));
}

/**
 * The rows, in whatever a library wraps them: `{ rows }` (pg, Kysely, Drizzle), bare rows (TypeORM, Prisma, postgres.js), or
 * `[rows, count]` (TypeORM, for statements that change something).
 */
export function rowsOf(result: unknown): Row[] {
  if (Array.isArray(result)) {
    const [first, second] = result as unknown[];
    return (Array.isArray(first) && typeof second === 'number' ? first : result) as Row[];
  }
  const rows = (result as { rows?: unknown } | null | undefined)?.rows;
  if (Array.isArray(rows)) return rows as Row[];
  throw new PostgresConfigurationError(
    '`transaction.query(text, values)` must resolve with the rows of the result, or with an object that has them as `rows`.',
  );
}
