import { Option, type Command } from 'commander';
import { CommandError, UsageError } from '../command.errors.js';
import {
  onDatabase,
  type CommonOptions,
  type DatabaseOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { repeatable, time, TIME_FORMAT } from '../option-readers.js';
import { reportsOf } from './account-reports.js';
import { FORMATS, WRITERS, type Format } from './report-formats.js';

interface ReconcileOptions extends CommonOptions, DatabaseOptions {
  from: Date;
  to?: Date;
  format: Format;
  account?: readonly string[];
  source?: string;
}

export function define(command: Command, does: Does): void {
  does.reads(
    onDatabase(command)
      .option(
        '--account <name>',
        'an account; repeat it for several (default: with --source all that the store knows, else the account of PAYMENTS_*)',
        repeatable,
      )
      .option(
        '--source <module>',
        'a JavaScript module whose default export returns the options of an account: (account) => ({ clientId, ... }), or null',
      )
      .addOption(time('--from <time>', TIME_FORMAT).makeOptionMandatory())
      .addOption(time('--to <time>', 'the same (default: now)'))
      .addOption(
        new Option('--format <format>', 'how to print the report; --json is --format json')
          .choices(FORMATS)
          .default('table'),
      ),
    runReconcile,
  );
}

/** Compares the stored transactions with the platform's list, account by account. It changes nothing. */
async function runReconcile(
  invocation: Invocation,
  { from, to = new Date(), format, json, account = [], ...options }: ReconcileOptions,
): Promise<void> {
  if (from >= to) throw new UsageError('--from must be before --to.');
  const { reports, failures } = await reportsOf({ from, to }, account, options, invocation);
  if (reports.length > 0 || failures.length === 0) {
    const { output } = invocation;
    if (json || format === 'json') output.json(reports);
    else output.line(WRITERS[format](reports));
  }
  if (failures.length > 0) throw new CommandError(failures.join('\n'));
}
