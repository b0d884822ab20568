import { RESTORE } from '@tillkit/payments/store';
import type { Command } from 'commander';
import { UsageError } from '../command.errors.js';
import {
  by,
  onDatabase,
  type CommonOptions,
  type DatabaseOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { time, TIME_FORMAT } from '../option.readers.js';
import { withStore } from '../store.connection.js';

interface RestoredOptions extends CommonOptions, DatabaseOptions {
  at: Date;
  by: string;
}

export function addRestored(root: Command, does: Does): void {
  does(
    by(
      onDatabase(root.command('restored'))
        .description(
          'say that the database was restored to an earlier time, before the application starts: nothing is sent until the lost time was swept',
        )
        .addOption(
          time(
            '--at <time>',
            `the time of the backup, ${TIME_FORMAT}; in doubt an earlier one`,
          ).makeOptionMandatory(),
        ),
      'who restored it: it stays in the history',
    ),
    runRestored,
  );
}

async function runRestored(
  invocation: Invocation,
  { at, by: person, ...options }: RestoredOptions,
): Promise<void> {
  if (at.getTime() > Date.now())
    throw new UsageError('--at must be the time of the backup, and it is in the future.');
  if (at.getTime() < Date.now() - RESTORE.remembersMs)
    throw new UsageError(
      '--at must be the time of the backup, and it is more than 30 days ago: the lost time is remembered for 30 days. Restore a newer backup, or ' +
        'give the oldest time that is possible and compare what is older with the portal yourself.',
    );
  const result = await withStore(invocation, options, (store) => store.restores.begin(at, person));
  const { accounts, operations, begunAt } = result;
  invocation.output.result({ at, ...result }, () =>
    [
      `The database has lost what happened since ${at.toISOString()}.`,
      `Operations that may have been sent since, and are "unknown" now: ${operations}.`,
      `Accounts that send nothing until their sweeps have read that time and 15 minutes from now: ${accounts}.`,
      '',
      'Next: start the application. Payments go on by themselves when that was read; `accounts list` shows it. Payouts and refunds stay paused, because',
      'the platform lists none: compare them with the portal, then',
      `\`resume --after-restore money-out --seen ${begunAt.toISOString()} --account <name>\`, or \`--all\`.`,
    ].join('\n'),
  );
}
