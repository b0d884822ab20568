import { Module } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';
import {
  PaymentsConfigurationError,
  PaymentsModule,
  ReconciliationService,
  type ReconciliationReport,
  type ReportLine,
} from '@tillkit/payments';
import { PostgresStoreModule } from '../postgres-store.module.js';
import { UsageError, type CommandContext, type DatabaseOptions } from './command.context.js';

export const FORMATS = ['table', 'csv', 'json'] as const;
type Format = (typeof FORMATS)[number];

const COLUMNS = [
  'result',
  'reference',
  'tillNumber',
  'amountHere',
  'amountThere',
  'currency',
  'originatedAt',
  'paymentId',
  'difference',
] as const;

/** Compares what is stored with what the platform lists. Reads only. */
export async function runReconcile(
  { from, to = new Date(), format, url, schema }: ReconcileOptions,
  { write }: CommandContext,
): Promise<void> {
  if (from >= to) throw new UsageError('--from must be before --to.');
  write(WRITERS[format](await reportOf({ from, to }, url, schema)));
}

interface ReconcileOptions extends DatabaseOptions {
  from: Date;
  to?: Date;
  format: Format;
}

/** The application's own module, without its routes and its work in the background. */
async function reportOf(
  window: { from: Date; to: Date },
  url: string | undefined,
  schema: string | undefined,
): Promise<ReconciliationReport> {
  const { NestFactory } = await import('@nestjs/core');
  @Module({
    imports: [
      PostgresStoreModule.forRoot({ connectionString: url, schema, poolSize: 2 }),
      PaymentsModule.forRoot({ background: false }),
    ],
  })
  class ReconcileModule {}
  try {
    const context = await NestFactory.createApplicationContext(ReconcileModule, {
      logger: ['error'],
      abortOnError: false,
    });
    try {
      return await context.get(ReconciliationService).report(window);
    } finally {
      await context.close();
    }
  } catch (error) {
    throw error instanceof PaymentsConfigurationError ? new UsageError(error.message) : error;
  }
}

const WRITERS: Record<Format, (report: ReconciliationReport) => string> = {
  json: (report) => `${JSON.stringify(report, null, 2)}\n`,
  csv: (report) =>
    stringify([[...COLUMNS], ...rowsOf(report)], {
      quoted: true,
      quoted_empty: true,
      escape_formulas: true,
    }),
  table: (report) => `${tableOf(report)}\n${summaryOf(report)}\n`,
};

function rowsOf(report: ReconciliationReport): string[][] {
  const section = (result: string, lines: readonly ReportLine[]): string[][] =>
    lines.map((line) => [
      result,
      ...COLUMNS.slice(1).map((column) => String(line[column as keyof ReportLine] ?? '')),
    ]);
  return [
    ...section('matched', report.matched),
    ...section('missing here', report.missingHere),
    ...section('missing there', report.missingThere),
    ...section('different', report.different),
  ];
}

function tableOf(report: ReconciliationReport): string {
  const rows = [[...COLUMNS], ...rowsOf(report)];
  const widths = COLUMNS.map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
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
  from,
  to,
  matched,
  missingHere,
  missingThere,
  different,
}: ReconciliationReport): string {
  return (
    `\n${from} to ${to}: ${matched.length} matched, ${missingHere.length} missing here, ` +
    `${missingThere.length} missing there, ${different.length} different`
  );
}

/** A parser of times for one option. */
export function readTime(option: string): (text: string) => Date {
  return (text) => {
    const time = new Date(text);
    if (Number.isNaN(time.getTime()) || !/(Z|[+-]\d{2}:?\d{2})$/.test(text)) {
      throw new UsageError(
        `${option} must be an ISO 8601 time with an offset, such as 2026-11-01T00:00:00+03:00.`,
      );
    }
    return time;
  };
}
