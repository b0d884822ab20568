import type { Command } from 'commander';
import { withAccounts } from '../account-context.js';
import { shownAccount } from '../account-names.js';
import { CommandError, UsageError } from '../command.errors.js';
import {
  ofPerson,
  onDatabase,
  type CommonOptions,
  type DatabaseOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { accountTarget, allAccountsTarget } from '../command-targets.js';
import { withStore } from '../store-connection.js';

interface PauseOptions extends CommonOptions, DatabaseOptions {
  account?: string;
  all?: true;
  by: string;
  note: string;
}

export function addPause(root: Command, does: Does): void {
  const command = (what: 'pause' | 'resume'): Command =>
    ofPerson(
      onDatabase(root.command(what))
        .option('--account <name>', 'one account')
        .option('--all', 'all accounts'),
    );
  does.changes(
    command('pause').description(
      'stop sending requests that move money, at once and in every process; what was sent is settled as always',
    ),
    targetOf,
    (invocation, options: PauseOptions) => decide('pause', invocation, options),
  );
  does.changes(
    command('resume').description(
      'end a pause; that of all accounts and that of one account end on their own',
    ),
    targetOf,
    (invocation, options: PauseOptions) => decide('resume', invocation, options),
  );
}

function targetOf(invocation: Invocation, options: PauseOptions): Promise<string> | string {
  const { account, all } = options;
  if ((account === undefined) === (all === undefined))
    throw new UsageError('name one account with --account <name>, or all with --all.');
  return all ? allAccountsTarget(invocation, options) : accountTarget(invocation, options);
}

/** It needs the database only: whoever pauses is in a hurry. */
async function decide(
  what: 'pause' | 'resume',
  invocation: Invocation,
  { account, by, note, ...options }: PauseOptions,
): Promise<void> {
  const { environment, output } = invocation;
  const decision = { account: account ?? null, by, note };
  const { changed, pauses } = await withStore(invocation, options, async (store) => {
    return withAccounts({ store, environment }, async (accounts) => ({
      changed: await accounts[what](decision),
      pauses: await accounts.pauses(),
    }));
  });
  const remaining = pauses.filter(
    (pause) => pause.account === null || pause.account === (account ?? pause.account),
  );
  const whose = output.text(shownAccount(decision.account));
  const [first] = remaining;
  const still = first
    ? `Sending is still paused for ${output.text(shownAccount(first.account))}, by ${output.text(first.by)}: ${output.text(first.note)}.`
    : 'Nothing is paused.';
  if (what === 'resume' && !changed)
    throw new CommandError(`there is no such pause of ${whose}. ${still}`);
  output.result({ account: account ?? null, action: what, changed, remaining }, () => {
    if (what === 'resume') return `This pause of ${whose} has ended. ${still}`;
    return changed ? `Sending of ${whose} is paused.` : `Sending of ${whose} was paused already.`;
  });
}
