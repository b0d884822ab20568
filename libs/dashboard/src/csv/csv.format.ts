import { stringify } from 'csv-stringify/sync';
import { withoutFormulas } from './formula.format.js';

export interface CsvColumn<T> {
  /** Its name in the first row. It is the same in every language, because programs read it. */
  name: string;
  /** True when its cells are decimal numbers that we have made, which may be negative. */
  isNumber?: true;
  readonly cell: (item: T) => string | number | null | undefined;
}

/**
 * Returns rows as CSV, with the names of the columns first if they are asked for. Texts of the platform cannot act as formulas in a spreadsheet: an
 * apostrophe stands wherever a formula could begin, also in the middle of a cell, because a spreadsheet of another language may separate cells by
 * semicolons or tabs.
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
export function csvOf<T>(
  columns: readonly CsvColumn<T>[],
  items: readonly T[],
  hasNames: boolean,
): string {
  const names = columns.map(({ name }) => name);
  const rows = items.map((item) =>
    columns.map(({ cell, isNumber }) => {
      const text = String(cell(item) ?? '');
      return isNumber ? text : withoutFormulas(text);
    }),
  );
  return stringify(rows, {
    // Without the mark, a spreadsheet on Windows reads names in the encoding of its own country.
    bom: hasNames,
    ...(hasNames && { columns: names, header: true }),
    quoted: true,
    quoted_empty: true,
    record_delimiter: 'windows',
  });
}
