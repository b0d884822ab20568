import type { Command } from 'commander';
import { withAccounts } from '../account.context.js';
import { UsageError } from '../command.errors.js';
import {
  ofPerson,
  onDatabase,
  type CommonOptions,
  type DatabaseOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { withStore } from '../store.connection.js';

interface PauseOptions extends CommonOptions, DatabaseOptions {
  account?: string;
  all?: true;
  by: string;
  note: string;
}

export function addPause(root: Command, does: Does): void {
  for (const what of ['pause', 'resume'] as const) {
    does(
      ofPerson(
        onDatabase(root.command(what))
          .description(
            what === 'pause'
              ? 'stop sending requests that move money, at once and in every process; what was sent is settled as always'
              : 'end a pause; that of all accounts and that of one account end on their own',
          )
          .option('--account <name>', 'one account')
          .option('--all', 'all accounts'),
      ),
      (invocation, options: PauseOptions) => decide(what, invocation, options),
    );
  }
}

/** It needs the database only: whoever pauses is in a hurry. */
async function decide(
  what: 'pause' | 'resume',
  invocation: Invocation,
  { account, all, by, note, ...options }: PauseOptions,
): Promise<void> {
  if ((account === undefined) === (all === undefined))
    throw new UsageError('name one account with --account <name>, or all with --all.');
  const { environment, output } = invocation;
  const decision = { account: account ?? null, by, note };
  const changed = await withStore(invocation, options, (store) =>
    withAccounts({ store, environment }, (accounts) =>
      what === 'pause' ? accounts.pause(decision) : accounts.resume(decision),
    ),
  );
  const whose = account === undefined ? 'all accounts' : `account "${output.text(account)}"`;
  output.result({ account: account ?? null, action: what, changed }, () => {
    if (what === 'pause')
      return changed ? `Sending of ${whose} is paused.` : `Sending of ${whose} was paused already.`;
    return changed ? `Sending of ${whose} goes on.` : `There is no pause of ${whose}.`;
  });
}
