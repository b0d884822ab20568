import type { ReconciliationReport } from '@tillkit/payments';
import type { ReportLine } from '@tillkit/payments/types';
import { csvOf } from '../csv/csv.format.js';

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
  'paymentLinkId',
  'difference',
] as const satisfies readonly (keyof ReportLine | 'list')[];

export function reportCsv(report: ReconciliationReport): string {
  const rows = LISTS.flatMap((list) => report[list].map((line) => ({ list, ...line })));
  return csvOf(
    COLUMNS.map((name) => ({ name, cell: (row: (typeof rows)[number]) => row[name] })),
    rows,
    true,
  );
}
