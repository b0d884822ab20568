import type { Pause, RestorePause } from '@tillkit/payments';
import { RESTORE_PAUSES } from '@tillkit/payments/tools';
import { Option, type Command } from 'commander';
import { withAccounts } from '../account.context.js';
import { oneName, shownAccount } from '../account.names.js';
import { CommandError, UsageError } from '../command.errors.js';
import {
  ofPerson,
  onDatabase,
  type CommonOptions,
  type DatabaseOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { time } from '../option.readers.js';
import { withStore } from '../store.connection.js';

interface PauseOptions extends CommonOptions, DatabaseOptions {
  account?: string;
  all?: true;
  by: string;
  note: string;
  afterRestore?: RestorePause;
  seen?: Date;
}

export function addPause(root: Command, does: Does): void {
  const command = (what: 'pause' | 'resume'): Command =>
    ofPerson(
      onDatabase(root.command(what))
        .option('--account <name>', 'one account')
        .option('--all', 'all accounts'),
    );
  does(
    command('pause').description(
      'stop sending requests that move money, at once and in every process; what was sent is settled as always',
    ),
    (invocation, options: PauseOptions) => decide('pause', invocation, options),
  );
  does(
    command('resume')
      .description('end a pause; that of all accounts and that of one account end on their own')
      .addOption(
        new Option(
          '--after-restore <what>',
          'end what a restore pauses instead: money-out, after you have compared payouts and refunds with the portal; or everything, before the lost time ' +
            'was swept',
        ).choices(RESTORE_PAUSES),
      )
      .addOption(
        time(
          '--seen <time>',
          'with --after-restore: the time of the newest such pause that you have seen, as `restored` and `resume` print it; one that began later stays',
        ),
      ),
    (invocation, options: PauseOptions) => decide('resume', invocation, options),
  );
}

/** It needs the database only: whoever pauses is in a hurry. */
async function decide(
  what: 'pause' | 'resume',
  invocation: Invocation,
  { account, all, by, note, afterRestore, seen, ...options }: PauseOptions,
): Promise<void> {
  if ((account === undefined) === (all === undefined))
    throw new UsageError('name one account with --account <name>, or all with --all.');
  if ((afterRestore === undefined) !== (seen === undefined))
    throw new UsageError(
      '--after-restore and --seen belong together: what you end, and the time of the newest such pause that you have seen.',
    );
  const { environment, output } = invocation;
  const decision = { account: account ?? null, by, note };
  const { changed, pauses } = await withStore(invocation, options, async (store) => {
    if (account !== undefined) await oneName(store, account);
    return withAccounts({ store, environment }, async (accounts) => ({
      changed: await (what === 'pause'
        ? accounts.pause(decision)
        : accounts.resume({ ...decision, ...(seen && { restore: afterRestore, seen }) })),
      pauses: await accounts.pauses(),
    }));
  });
  const remaining = pauses.filter(
    (pause) => pause.account === null || pause.account === (account ?? pause.account),
  );
  const whose = output.text(shownAccount(decision.account));
  const still = remaining[0] ? shown(newestLike(remaining[0], remaining)) : 'Nothing is paused.';
  if (what === 'resume' && !changed)
    throw new CommandError(`there is no such pause of ${whose}. ${still}`);
  output.result({ account: account ?? null, action: what, changed, remaining }, () => {
    if (what === 'resume') return `This pause of ${whose} has ended. ${still}`;
    return changed ? `Sending of ${whose} is paused.` : `Sending of ${whose} was paused already.`;
  });

  function shown({ account: of, restore, by: person, note: why, at }: Pause): string {
    return (
      `${restore === 'money-out' ? 'Payouts and refunds are' : 'Sending is'} still paused for ${output.text(shownAccount(of))}, ` +
      `by ${output.text(person)}: ${output.text(why)}.${restore === null ? '' : ` See --after-restore ${restore} --seen ${at.toISOString()}.`}`
    );
  }
}

/** The newest of the same kind: whoever ends it has seen the others. */
function newestLike({ restore }: Pause, pauses: readonly Pause[]): Pause {
  return pauses
    .filter((pause) => pause.restore === restore)
    .reduce((newest, pause) => (pause.at >= newest.at ? pause : newest));
}
