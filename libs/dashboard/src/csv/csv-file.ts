import type { Page as ListPage, PageRequest } from '@tillkit/payments/internal/store';
import type { File } from '../web/answer.dto.js';
import type { Visit } from '../web/visit.dto.js';
import { csvOf, type CsvColumn } from './csv.format.js';

/** We read this many rows at once. Only these are in memory, however long the list is. */
const ROWS_AT_ONCE = 1_000;

/**
 * Returns a list as a CSV file, written page by page while it is read. The first page is read before the answer begins, so that an error of it is
 * shown as a page.
 */
export async function csvFile<T>(
  { account, times, isOneOfSeveral }: Visit,
  name: string,
  columns: readonly CsvColumn<T>[],
  read: (page: PageRequest) => Promise<ListPage<T>>,
): Promise<File> {
  const first = await read({ limit: ROWS_AT_ONCE, mayBeOld: true });
  const day = times.toField(new Date()).slice(0, 10);
  const owner = isOneOfSeveral ? `${account.name}-` : '';
  return {
    kind: 'file',
    name: `${owner}${name}-${day}.csv`,
    type: 'text/csv',
    chunks: chunksOf(columns, first, read),
  };
}

async function* chunksOf<T>(
  columns: readonly CsvColumn<T>[],
  first: ListPage<T>,
  read: (page: PageRequest) => Promise<ListPage<T>>,
): AsyncGenerator<string> {
  yield csvOf(columns, first.items, true);
  for (let { next } = first; next !== null;) {
    const page = await read({ limit: ROWS_AT_ONCE, mayBeOld: true, after: next });
    yield csvOf(columns, page.items, false);
    ({ next } = page);
  }
}
