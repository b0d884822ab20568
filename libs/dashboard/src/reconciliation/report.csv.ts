import type { ReconciliationReport, ReportLine } from '@tillkit/payments';

const COLUMNS = [
  'reference',
  'tillNumber',
  'currency',
  'amountHere',
  'amountThere',
  'originatedAt',
  'paymentId',
  'difference',
] as const satisfies readonly (keyof ReportLine)[];

const LISTS = ['matched', 'missingHere', 'missingThere', 'different'] as const;

/** What spreadsheets take for a formula at the start of a cell. */
const FORMULA = /^[=+\-@\t\r]/;

/** The whole report for a spreadsheet, in which no cell of the platform's can act as a formula. */
export function reportCsv(report: ReconciliationReport): string {
  const lines = LISTS.flatMap((list) =>
    report[list].map((line) => [list, ...COLUMNS.map((column) => line[column] ?? '')]),
  );
  return (
    [['list', ...COLUMNS], ...lines].map((cells) => cells.map(cell).join(',')).join('\r\n') + '\r\n'
  );
}

function cell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
