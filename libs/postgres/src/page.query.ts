import type { Page, PageRequest } from '@tillkit/payments/store';
import type { Database } from './postgres.database.js';
import { readCursor, type Cursor } from './query.conditions.js';
import { text, time, type Row } from './row.js';

/** A statement and its values. */
export interface Query {
  text: string;
  values: unknown[];
}

const MAX_PAGE = 1_000;

/** Rows that are looked at for one page, if no index has only those that fit. */
export const MOST_LOOKED_AT = 5_000;

/** The number of items on a page. */
export function pageSizeOf(limit: number): number {
  return Math.min(Math.max(Math.trunc(limit) || 1, 1), MAX_PAGE);
}

/**
 * Keyset pagination. Reads one row more than the page has, to know whether there is a next page. An invalid cursor gives an empty page. A
 * query may look at a limited number of rows (`MOST_LOOKED_AT`): then each row says down to where, and there is one row without a cursor
 * if none fits.
 */
export async function readPage<T>(
  { rows: execute }: Pick<Database, 'rows'>,
  { limit, after }: PageRequest,
  read: (row: Row) => T,
  query: (limit: number, after: Cursor | undefined) => Query,
): Promise<Page<T>> {
  const cursor = after === undefined ? undefined : readCursor(after);
  if (after !== undefined && !cursor) return { items: [], next: null };
  const size = pageSizeOf(limit);
  const { text: statement, values } = query(size + 1, cursor);
  const rows = await execute(statement, values);
  const found = rows.filter((row) => row['cursor'] !== null);
  const items = found.slice(0, size).map(read);
  const last = found[size - 1];
  if (found.length > size && last) return { items, next: text(last, 'cursor') };
  const looked = rows[0];
  if (!looked?.['last_cursor']) return { items, next: null };
  return { items, next: text(looked, 'last_cursor'), lookedTo: time(looked, 'looked_to') };
}
