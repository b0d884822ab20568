import { stringify } from 'csv-stringify/sync';
import type { ReconciliationReport } from '@tillkit/payments';
import type { ReportLine } from '@tillkit/payments/types';
import { plainText } from '../output/plain-text.js';

export const FORMATS = ['table', 'csv', 'json'] as const;
export type Format = (typeof FORMATS)[number];

export interface AccountReport extends ReconciliationReport {
  account: string;
}

const COLUMNS = [
  'account',
  'result',
  'reference',
  'tillNumber',
  'amountHere',
  'amountThere',
  'currency',
  'originatedAt',
  'paymentId',
  'paymentLinkId',
  'difference',
] as const;

export const WRITERS: Record<
  Exclude<Format, 'json'>,
  (reports: readonly AccountReport[]) => string
> = {
  csv: (reports) =>
    stringify([[...COLUMNS], ...reports.flatMap(rowsOf)], {
      quoted: true,
      quoted_empty: true,
      escape_formulas: true,
    }),
  table: (reports) => `${tableOf(reports)}\n\n${reports.map(summaryOf).join('\n')}\n`,
};

function rowsOf({ account, ...report }: AccountReport): string[][] {
  const section = (result: string, lines: readonly ReportLine[]): string[][] =>
    lines.map((line) => [
      account,
      result,
      ...COLUMNS.slice(2).map((column) =>
        plainText(String(line[column as keyof ReportLine] ?? '')),
      ),
    ]);
  return [
    ...section('matched', report.matched),
    ...section('missing here', report.missingHere),
    ...section('missing there', report.missingThere),
    ...section('different', report.different),
  ];
}

function tableOf(reports: readonly AccountReport[]): string {
  const rows = [[...COLUMNS], ...reports.flatMap(rowsOf)];
  const widths = COLUMNS.map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), 0),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function summaryOf({
  account,
  from,
  to,
  matched,
  missingHere,
  missingThere,
  different,
}: AccountReport): string {
  return (
    `account ${account}, ${from} to ${to}: ${matched.length} matched, ${missingHere.length} missing here, ` +
    `${missingThere.length} missing there, ${different.length} different`
  );
}
