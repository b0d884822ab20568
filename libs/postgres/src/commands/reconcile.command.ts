import { UsageError, type CommandContext, type DatabaseOptions } from './command.context.js';
import { reportsOf } from './account.reports.js';
import { WRITERS, type Format } from './report.formats.js';

/** Compares what is stored with what the platform lists, account by account. Reads only. */
export async function runReconcile(
  { from, to = new Date(), format, account = [], ...options }: ReconcileOptions,
  { write }: CommandContext,
): Promise<void> {
  if (from >= to) throw new UsageError('--from must be before --to.');
  const { reports, failures } = await reportsOf({ from, to }, account, options);
  if (reports.length > 0 || failures.length === 0) write(WRITERS[format](reports));
  if (failures.length > 0) throw new FailedAccountsError(failures.join('\n'));
}

interface ReconcileOptions extends DatabaseOptions {
  from: Date;
  to?: Date;
  format: Format;
  account?: readonly string[];
  source?: string;
}

/** Some accounts could not be compared; the message says which, and why. The reports of the others are printed. */
export class FailedAccountsError extends Error {}

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
