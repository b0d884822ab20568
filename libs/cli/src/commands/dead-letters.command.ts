import type { Command } from 'commander';
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

type Options = CommonOptions & AccountOptions;

interface ListOptions extends Options {
  limit: number;
}

interface ReplayOptions extends Options {
  all?: true;
}

const COLUMNS = ['died', 'id', 'event', 'listener', 'attempts', 'last error'] as const;

export function addDeadLetters(root: Command, does: Does): void {
  const letters = root
    .command('dead-letters')
    .description('list and repeat listener calls that are not repeated any more');
  does.reads(
    ofAccount(letters.command('list'))
      .description('list dead letters, oldest first')
      .addOption(
        wholeNumber('--limit <count>', 'how many', { least: 1, most: 1000, default: 100 }),
      ),
    runList,
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

function runList(invocation: Invocation, options: ListOptions): Promise<void> {
  const { output } = invocation;
  return withAccountStore(invocation, options, async (store, account) => {
    const { items } = await store.events.listDeadLetters(account, {}, { limit: options.limit });
    output.result({ account, items }, () =>
      items.length === 0
        ? `Account "${output.text(account)}" has no dead letters.`
        : output.table(
            COLUMNS,
            items.map((letter) => [
              output.text(letter.diedAt),
              output.id(letter.id),
              output.text(letter.event),
              output.text(letter.listener),
              output.text(letter.attempts),
              output.text(letter.lastError),
            ]),
          ),
    );
  });
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
