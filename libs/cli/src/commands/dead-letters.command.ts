import type { Command } from 'commander';
import type { DeadLetter } from '@tillkit/payments/types';
import { CommandError, UsageError } from '../command.errors.js';
import {
  ofAccount,
  type AccountOptions,
  type CommonOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { accountTarget } from '../command-targets.js';
import { wholeNumber } from '../option-readers.js';
import { withAccountStore } from '../store-connection.js';
import { lists, type ListDefinition } from '../subject-commands.js';

type Options = CommonOptions & AccountOptions;

interface ListOptions extends Options {
  limit: number;
}

interface ReplayOptions extends Options {
  all?: true;
}

const LIST: ListDefinition<DeadLetter, ListOptions> = {
  read: (invocation, options) =>
    withAccountStore(invocation, options, async (store, account) => {
      const { items } = await store.events.listDeadLetters(account, {}, { limit: options.limit });
      return { account, items };
    }),
  columns: {
    died: 'diedAt',
    id: 'id',
    event: 'event',
    listener: 'listener',
    attempts: 'attempts',
    'last error': 'lastError',
  },
  what: () => 'dead letters',
};

export function define(letters: Command, does: Does): void {
  lists(
    ofAccount(letters.command('list'))
      .description('list dead letters, oldest first')
      .addOption(
        wholeNumber('--limit <count>', 'how many', { least: 1, most: 1000, default: 100 }),
      ),
    does,
    LIST,
  );
  does.changes(
    ofAccount(letters.command('replay').argument('[id]', 'id of the dead letter'))
      .description('make dead letters due again, each with the same eventId as before')
      .option('--all', 'all dead letters of the account'),
    (invocation, options, id?: string) => {
      if ((id === undefined) === (options.all === undefined))
        throw new UsageError('name one dead letter by its id, or all with --all.');
      return accountTarget(invocation, options);
    },
    runReplay,
  );
}

function runReplay(invocation: Invocation, options: ReplayOptions, id?: string): Promise<void> {
  const { output } = invocation;
  return withAccountStore(invocation, options, async (store, account) => {
    const { length: replayed } = await store.events.replayDeadLetters(account, id);
    if (id !== undefined && replayed === 0)
      throw new CommandError(
        `account "${account}" has no dead letter ${id}: tillkit dead-letters list shows them.`,
      );
    output.result({ account, replayed }, () =>
      replayed === 0
        ? `Account "${output.text(account)}" has no dead letters.`
        : `${replayed} ${replayed === 1 ? 'call is' : 'calls are'} due again. A process that has the listener makes them within seconds.`,
    );
  });
}
