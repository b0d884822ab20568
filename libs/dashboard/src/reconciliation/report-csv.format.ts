import { stringify } from 'csv-stringify/sync';
import type { ReconciliationReport, ReportLine } from '@tillkit/payments';

const LISTS = ['matched', 'missingHere', 'missingThere', 'different'] as const;

const COLUMNS = [
  'list',
  'reference',
  'tillNumber',
  'currency',
  'amountHere',
  'amountThere',
  'originatedAt',
  'paymentId',
  'difference',
] as const satisfies readonly (keyof ReportLine | 'list')[];

/** Where a formula could begin: at the start of a cell, or after a character that a spreadsheet may take for a separator. */
const FORMULA = /(?<=^|[;,|\t\r\n])(?=[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/gu;

/**
 * The report as CSV. Texts of the platform cannot act as formulas in a spreadsheet: an apostrophe stands wherever a formula could
 * begin, also in the middle of a cell, because a spreadsheet of another language may separate cells by semicolons or tabs.
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
export function reportCsv(report: ReconciliationReport): string {
  const rows = LISTS.flatMap((list) => report[list].map((line) => ({ list, ...line })));
  return stringify(rows, {
    columns: [...COLUMNS],
    header: true,
    quoted: true,
    quoted_empty: true,
    cast: { string: (cell) => cell.replace(FORMULA, `'`) },
    record_delimiter: 'windows',
  });
}
