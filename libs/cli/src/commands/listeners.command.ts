import type { PostgresStore } from '@tillkit/postgres';
import type { Command } from 'commander';
import { firstOf, knownNames, oneName, shownAccount } from '../account-names.js';
import { CommandError, UsageError } from '../command.errors.js';
import {
  ofAccount,
  type AccountOptions,
  type CommonOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { accountTarget, allAccountsTarget } from '../command-targets.js';
import { withStore } from '../store-connection.js';

interface DeleteOptions extends CommonOptions, AccountOptions {
  all?: true;
}

/** An error names at most this many listeners. */
const MOST_NAMED = 10;

export function define(listeners: Command, does: Does): void {
  does.changes(
    ofAccount(listeners.command('delete'))
      .description(
        'delete a listener that no application has any more, with its waiting calls and its dead letters; nobody gets these events then',
      )
      .argument('<id>', 'its id: Class.method, or the id of its decorator')
      .option('--all', 'of all accounts'),
    (invocation, options: DeleteOptions) => {
      if (options.all && options.account !== undefined)
        throw new UsageError('name one account with --account <name>, or all with --all.');
      return options.all
        ? allAccountsTarget(invocation, options)
        : accountTarget(invocation, options);
    },
    runDelete,
  );
}

/** This needs the database only: an application that is refused because of the listener does not run. */
async function runDelete(
  invocation: Invocation,
  { all, account, ...options }: DeleteOptions,
  id: string,
): Promise<void> {
  const { output } = invocation;
  await withStore(invocation, options, async (store) => {
    const names = all ? await knownNames(store) : [await oneName(store, account)];
    await refuseUnknown(store, names, id);
    let deletedCalls = 0;
    for (const name of names) deletedCalls += await store.events.deleteListener(name, id);
    const whose = all ? null : (names[0] as string);
    output.result(
      { account: whose, listener: id, deletedCalls },
      () =>
        `Deleted: listener ${output.text(id)} of ${output.text(shownAccount(whose))}, with ${deletedCalls} of its calls.`,
    );
  });
}

/** A name that is written wrong would delete nothing. The store does not list ids without a class. */
async function refuseUnknown(
  store: PostgresStore,
  accounts: readonly string[],
  id: string,
): Promise<void> {
  if (!id.includes('.')) return;
  const known = await store.events.registeredListeners(accounts);
  const ids = [...new Set(known.map(({ listener }) => listener))];
  if (ids.includes(id)) return;
  const others = ids.length === 0 ? 'none' : firstOf(ids.toSorted(), MOST_NAMED);
  throw new CommandError(`no account has the listener ${id}: the store knows ${others}.`);
}
