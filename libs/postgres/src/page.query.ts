import type { Page, PageRequest } from '@tillkit/payments/internal/store';
import type { Database } from './postgres-database.js';
import {
  beginnings,
  cursorOf,
  readCursor,
  type Conditions,
  type Cursor,
} from './query-conditions.js';
import { text, time, type Row } from './row.js';

export interface Query {
  text: string;
  values: unknown[];
}

const MAX_PAGE = 1_000;

/** A page looks at this many rows when no index has only those that fit. */
export const MOST_LOOKED_AT = 5_000;

/** Each probe of an index reads this many rows. They lie anywhere on the disk. */
export const MOST_PROBED = 1_000;

/** Returns the number of items on a page. */
export function pageSizeOf(limit: number): number {
  return Math.min(Math.max(Math.trunc(limit) || 1, 1), MAX_PAGE);
}

/**
 * Keyset pagination. Reads one row more than the page has, to know whether there is a next page. An invalid cursor gives an empty page. A
 * query may look at a limited number of rows (`MOST_LOOKED_AT`). Then each row contains the place of the last row that was looked at, and
 * there is one row without a cursor if none fits.
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

/** A list whose pages {@link lookedPage} finds: its table, and the columns that decide its order. */
export interface LookedList {
  table: string;
  /** Expression of the time. */
  time: string;
  /** Unique column beside the time. */
  key: string;
  /** Returns the text of a key in a cursor. */
  cursorOf: (key: string) => string;
  columns: string;
  /** The table, with its join condition, that has the columns. */
  rows: string;
}

/** Rows that lie together in an index, in the order of the index. */
export interface Probe {
  where: string;
  order: string;
}

/** Returns probes of an index of texts. They find the texts that begin with a text. */
export function beginningProbes(
  conditions: Conditions,
  column: string,
  text: string,
  length: number,
): Probe[] {
  return beginnings(text, length).map((pattern) => ({
    where: `${column} like ${conditions.value(pattern)}`,
    order: `${column} using ~<~`,
  }));
}

/**
 * Returns a page of what fits among the newest rows. If that is not a whole page, each row has the cursor and the time of the last row that was
 * looked at, and there is one row without a cursor if none fits.
 *
 * With probes: if they have few rows in all, the page is what fits among these, however old they are. The planner alone would guess how many rows an
 * index has, and a wrong guess reads the whole table or sorts most of it.
 * @param place decides where the page begins; `fits` decides what is in it
 * @param probes indexes that have together every row that fits
 */
export function lookedPage(
  { table, time, key, cursorOf: textOf, columns, rows }: LookedList,
  place: Conditions,
  fits: Conditions,
  limit: number,
  probes: readonly Probe[] = [],
): Query {
  const order = `order by ${time} desc, ${key} desc`;
  const probed = probes.map(
    (
      probe,
    ) => `(select ${key}, ${time} as at, ${place.where} and ${fits.where} as fits from ${table}
      where ${probe.where} order by ${probe.order} limit ${MOST_PROBED + 1})`,
  );
  // Without a probe, `few` is false. Each part runs only if it is needed, because its condition does not depend on a row.
  const text = `
with probe as materialized (
  ${probed.join(' union ') || `select ${key}, ${time} as at, false as fits from ${table} where false`}
), few as materialized (
  select ${probes.length > 0} and count(*) <= ${MOST_PROBED} as are from probe
), found as materialized (
  (select ${key}, at from probe where (select are from few) and fits order by at desc, ${key} desc limit ${limit})
  union all
  (select ${key}, at from (
    select ${key}, ${time} as at, ${fits.where} as fits from ${table} where not (select are from few) and ${place.where}
    ${order} limit ${MOST_LOOKED_AT}
  ) as newest where fits limit ${limit})
)
select ${columns}, ${cursorOf('found.at', textOf(`found.${key}`))},
  ${cursorOf('last.at', textOf(`last.${key}`), 'last_cursor')},
  (extract(epoch from last.at) * 1000)::text as looked_to
from (select count(*) as rows from found) as counted left join lateral (
  select ${time} as at, ${key} from ${table}
  where not (select are from few) and counted.rows < ${limit} and ${place.where}
  ${order} offset ${MOST_LOOKED_AT - 1} limit 1
) as last on true
left join found on true
left join ${rows}
order by found.at desc, found.${key} desc`;
  return { text, values: fits.values };
}
