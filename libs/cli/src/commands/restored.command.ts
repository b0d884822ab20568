import type { DoubtedOperation } from '@tillkit/postgres';
import type { Command } from 'commander';
import { shownAccount } from '../account-names.js';
import { UsageError } from '../command.errors.js';
import {
  by,
  onDatabase,
  type CommonOptions,
  type DatabaseOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { allAccountsTarget } from '../command-targets.js';
import { time, TIME_FORMAT } from '../option-readers.js';
import type { Columns, Output } from '../output/output.js';
import { withStore } from '../store-connection.js';

interface RestoredOptions extends CommonOptions, DatabaseOptions {
  at: Date;
  by: string;
}

const COLUMNS: Columns<DoubtedOperation> = {
  kind: 'kind',
  id: 'id',
  amount: ({ amount }, output) => `${output.text(amount.value)} ${output.text(amount.currency)}`,
  created: 'createdAt',
};

/** We print at most this many operations of one account. */
const MOST_SHOWN = 50;

export function define(command: Command, does: Does): void {
  does.changes(
    by(
      onDatabase(command).addOption(
        time(
          '--at <time>',
          `the time of the backup, ${TIME_FORMAT}; in doubt an earlier one`,
        ).makeOptionMandatory(),
      ),
      'who restored it: it stays in the history',
    ),
    (invocation, options) => {
      if (options.at.getTime() > Date.now())
        throw new UsageError('--at must be the time of the backup, and it is in the future.');
      return allAccountsTarget(invocation, options);
    },
    runRestored,
  );
}

async function runRestored(
  invocation: Invocation,
  { at, by: person, ...options }: RestoredOptions,
): Promise<void> {
  const operations = await withStore(invocation, options, (store) =>
    store.markRestored(at, person),
  );
  const { output } = invocation;
  const since = at.toISOString();
  output.result({ at, operations }, () =>
    [
      `The database has lost what happened since ${since}. Sending is paused for all accounts.`,
      `Operations that may have been sent since, and are "unknown" now: ${operations.length}.`,
      ...[...new Set(operations.map(({ account }) => account))].map((account) =>
        listed(
          output,
          account,
          operations.filter((operation) => operation.account === account),
        ),
      ),
      '',
      'Next: start the application. It reads again what the platform lists, and sends nothing. Compare each account, also one that is not listed here,',
      `with the merchant portal from ${since} on:`,
      '- payments: an order whose customer has paid must not be requested again;',
      '- payouts and refunds: one that the portal shows must not be requested again;',
      '- payment links: one that was shared can still be paid, so cancel it in the portal or request no other for its order.',
      'Decide what is in review. Then `tillkit resume --all --by <who> --note <why>` ends the pause.',
    ].join('\n'),
  );
}

function listed(output: Output, account: string, operations: readonly DoubtedOperation[]): string {
  const more = operations.length - MOST_SHOWN;
  return [
    '',
    `${output.text(shownAccount(account))}: ${operations.length}`,
    output.table(COLUMNS, operations.slice(0, MOST_SHOWN)),
    ...(more > 0 ? [`and ${more} more: the dashboard lists all that are "unknown"`] : []),
  ].join('\n');
}
