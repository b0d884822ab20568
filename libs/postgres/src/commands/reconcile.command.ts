import { parseArgs } from 'node:util';
import { Module } from '@nestjs/common';
import {
  PaymentsConfigurationError,
  PaymentsModule,
  PaymentsService,
  type ReconciliationReport,
  type ReportLine,
} from '@tillkit/payments';
import { PostgresStoreModule } from '../postgres-store.module.js';
import { UsageError, type Command } from './command.js';
import { DATABASE_ARGUMENTS, DATABASE_HELP } from './database-arguments.js';

const FORMATS = ['table', 'csv', 'json'] as const;
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
export const RECONCILE: Command = {
  name: 'reconcile',
  summary: 'compare a window with the platform: a table, CSV or JSON',
  help: `Usage: npx @tillkit/postgres reconcile --from <time> [--to <time>] [options]

  --from <time>      ISO 8601 with an offset, such as 2026-11-01T00:00:00+03:00
  --to <time>        the same [now]
  --format <format>  table, csv or json [table]
${DATABASE_HELP}

The platform is that of PAYMENTS_*. Nothing is corrected and nothing is told.`,

  async run(args, context) {
    const { values } = parseArgs({
      args,
      options: {
        ...DATABASE_ARGUMENTS,
        from: { type: 'string' },
        to: { type: 'string' },
        format: { type: 'string', default: 'table' },
      },
    });
    const from = timeOf('--from', values.from);
    const to = values.to === undefined ? new Date() : timeOf('--to', values.to);
    if (from >= to) throw new UsageError('--from must be before --to.');
    const format = formatOf(values.format);
    const report = await reportOf({ from, to }, values.url, values.schema);
    context.write(WRITERS[format](report));
  },
};

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
      return await context.get(PaymentsService).reconcile(window);
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
    [COLUMNS, ...rowsOf(report)].map((row) => `${row.map(csvCell).join(',')}\n`).join(''),
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

/** A cell that begins like a formula would be one to a spreadsheet; what the platform writes is not to be run. */
function csvCell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function timeOf(name: string, text: string | undefined): Date {
  const time = new Date(text ?? '');
  if (text === undefined || Number.isNaN(time.getTime()) || !/(Z|[+-]\d{2}:?\d{2})$/.test(text)) {
    throw new UsageError(
      `${name} must be an ISO 8601 time with an offset, such as 2026-11-01T00:00:00+03:00.`,
    );
  }
  return time;
}

function formatOf(text: string): Format {
  const format = FORMATS.find((one) => one === text);
  if (!format) throw new UsageError(`--format must be one of ${FORMATS.join(', ')}.`);
  return format;
}
