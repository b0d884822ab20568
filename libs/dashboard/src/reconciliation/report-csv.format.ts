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

/**
 * The report as CSV. Texts of the platform cannot act as formulas in a spreadsheet: a cell that begins like a formula gets an
 * apostrophe, and every cell is quoted, so that no separator in it starts another cell.
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
export function reportCsv(report: ReconciliationReport): string {
  const rows = LISTS.flatMap((list) => report[list].map((line) => ({ list, ...line })));
  return stringify(rows, {
    columns: [...COLUMNS],
    header: true,
    quoted: true,
    quoted_empty: true,
    escape_formulas: true,
    record_delimiter: 'windows',
  });
}
