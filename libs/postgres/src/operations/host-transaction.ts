import { StoreUnavailableError, type HostTransaction } from '@tillkit/payments/internal/store';
import type { Database, Execute } from '../postgres-database.js';
import { PostgresConfigurationError } from '../postgres.errors.js';
import type { Row } from '../row.js';

/**
 * Runs statements in the transaction of the host. Errors stay as they are, because code of the host that retries
 * serialisation failures must recognise them.
 */
export function inHostTransaction(transaction: HostTransaction, database: Database): Execute {
  return async (statement, values) =>
    rowsOf(
      await inTime(
        transaction.query(database.qualify(statement), [...values]),
        database.statementTimeoutMs,
      ),
    );
}

/**
 * Rejects when the query takes longer than the limit. The server has a shorter limit, so either the connection of the host is gone, or it
 * waits for statements of the host.
 */
async function inTime<T>(query: Promise<T>, limitMs: number): Promise<T> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(notAnswered(limitMs)), limitMs);
  });
  try {
    return await Promise.race([query, late]);
  } finally {
    clearTimeout(limit);
  }
}

function notAnswered(limitMs: number): StoreUnavailableError {
  return new StoreUnavailableError(
    `the query of \`transaction\` has not answered in ${limitMs} ms. Roll it back: if it is committed, what it records may be sent`,
  );
}

/**
 * Returns the rows of a result. Libraries return `{ rows }` (pg, Kysely, Drizzle), an array of rows (TypeORM, Prisma, postgres.js) or `[rows, count]`
 * (TypeORM, for statements that write).
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
