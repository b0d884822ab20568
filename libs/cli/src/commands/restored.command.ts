import type { Command } from 'commander';
import { UsageError } from '../command.errors.js';
import {
  onDatabase,
  type CommonOptions,
  type DatabaseOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { readTime } from '../option.readers.js';
import { withStore } from '../store.connection.js';

interface RestoredOptions extends CommonOptions, DatabaseOptions {
  at: Date;
  by: string;
}

export function addRestored(root: Command, does: Does): void {
  does(
    onDatabase(root.command('restored'))
      .description(
        'say that the database was restored to an earlier time, before the application starts: nothing is sent until the lost time was swept',
      )
      .requiredOption(
        '--at <time>',
        'the time of the backup, ISO 8601 with an offset, such as 2026-11-01T00:00:00+03:00; in doubt an earlier one',
        readTime('--at'),
      )
      .requiredOption('--by <name>', 'who restored it: it stays in the history'),
    runRestored,
  );
}

async function runRestored(
  invocation: Invocation,
  { at, by, ...options }: RestoredOptions,
): Promise<void> {
  if (at.getTime() > Date.now())
    throw new UsageError('--at must be the time of the backup, and it is in the future.');
  const result = await withStore(invocation, options, (store) => store.restores.begin(at, by));
  const { accounts, operations } = result;
  invocation.output.result({ at, ...result }, () =>
    [
      `The database has lost what happened since ${at.toISOString()}.`,
      `Operations that may have been sent since, and are "unknown" now: ${operations}.`,
      `Accounts that send nothing until their sweeps have read that time and 15 minutes from now: ${accounts}.`,
      '',
      'Next: start the application. The pauses end by themselves; `accounts list` shows them. An account with payouts stays paused, because the',
      'platform lists no payouts: compare them with the portal, then `resume --account <name>`.',
    ].join('\n'),
  );
}
