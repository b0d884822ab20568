import type { Page, PageRequest } from '@tillkit/payments/store';
import type { Database } from './postgres.database.js';
import { readCursor, type Cursor } from './query.conditions.js';
import { text, type Row } from './row.js';

/** A statement and its values. */
export interface Query {
  text: string;
  values: unknown[];
}

const MAX_PAGE = 200;

/** The number of items on a page. */
export function pageSizeOf(limit: number): number {
  return Math.min(Math.max(Math.trunc(limit) || 1, 1), MAX_PAGE);
}

/** Keyset pagination. Reads one row more than the page has, to know whether there is a next page. An invalid cursor gives an empty page. */
export async function readPage<T>(
  database: Database,
  { limit, after }: PageRequest,
  read: (row: Row) => T,
  query: (limit: number, after: Cursor | undefined) => Query,
): Promise<Page<T>> {
  const cursor = after === undefined ? undefined : readCursor(after);
  if (after !== undefined && !cursor) return { items: [], next: null };
  const size = pageSizeOf(limit);
  const { text: statement, values } = query(size + 1, cursor);
  const rows = await database.rows(statement, values);
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return {
    items: shown.map(read),
    next: rows.length > size && last ? text(last, 'cursor') : null,
  };
}
