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

/** Defines `pause`, and `resume`, which has the same options. */
export function define(command: Command, does: Does): void {
  const what = command.name() as 'pause' | 'resume';
  does.changes(
    ofPerson(
      onDatabase(command).option('--account <name>', 'one account').option('--all', 'all accounts'),
    ),
    targetOf,
    (invocation, options: PauseOptions) => decide(what, invocation, options),
  );
}

function targetOf(invocation: Invocation, options: PauseOptions): Promise<string> | string {
  const { account, all } = options;
  if ((account === undefined) === (all === undefined))
    throw new UsageError('name one account with --account <name>, or all with --all.');
  return all ? allAccountsTarget(invocation, options) : accountTarget(invocation, options);
}

/** This needs the database only, because whoever pauses is in a hurry. */
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
