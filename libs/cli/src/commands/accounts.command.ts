import type { Command } from 'commander';
import { withAccounts } from '../account-context.js';
import { CommandError } from '../command.errors.js';
import {
  ofPerson,
  onDatabase,
  type CommonOptions,
  type DatabaseOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { wholeNumber } from '../option-readers.js';
import { accountTarget } from '../command-targets.js';
import { withStore } from '../store-connection.js';

interface ReleaseOptions extends CommonOptions, DatabaseOptions {
  till?: string;
  by: string;
  note: string;
}

interface ListOptions extends CommonOptions, DatabaseOptions {
  beginsWith?: string;
  limit: number;
  after?: string;
}

const COLUMNS = [
  'account',
  'sending',
  'open',
  'in review',
  'dead letters',
  'unrecognised',
] as const;

export function addAccounts(root: Command, does: Does): void {
  const accounts = root
    .command('accounts')
    .description('list the accounts of the store, and release their tills');
  does.reads(
    onDatabase(accounts.command('list'))
      .description(
        'list accounts that were ever in use, with what needs attention; counts end at 101',
      )
      .option('--begins-with <text>', 'only names that begin so')
      .addOption(wholeNumber('--limit <count>', 'how many', { least: 1, most: 200, default: 50 }))
      .option('--after <cursor>', '`next` of the page before'),
    runList,
  );
  does.changes(
    ofPerson(onDatabase(accounts.command('release')))
      .description('let another account have a till, or all tills and API keys, of an account')
      .argument('<account>', 'its name')
      .option('--till <number>', 'only this till'),
    (invocation, options: ReleaseOptions, account) =>
      accountTarget(invocation, { ...options, account }),
    runRelease,
  );
}

/** It needs the database only: the account may be one that no application has any more. */
async function runRelease(
  invocation: Invocation,
  { till, by, note, ...options }: ReleaseOptions,
  account: string,
): Promise<void> {
  const { environment, output } = invocation;
  const released = await withStore(invocation, options, (store) =>
    withAccounts({ store, environment }, (accounts) =>
      accounts.release({ account, by, note, ...(till !== undefined && { till }) }),
    ),
  );
  if (released.length === 0)
    throw new CommandError(`account ${output.text(account)} has no such till.`);
  output.result({ account, released }, () => `Released: till ${released.join(', ')}.`);
}

function runList(invocation: Invocation, options: ListOptions): Promise<void> {
  const { output } = invocation;
  const { beginsWith, limit, after } = options;
  return withStore(invocation, options, async (store) => {
    const filter = { ...(beginsWith !== undefined && { beginsWith }) };
    const page = { limit, ...(after !== undefined && { after }) };
    const [{ items: names, next }, pauses] = await Promise.all([
      store.accounts.list(filter, page),
      store.pauses.all(),
    ]);
    const attention = await store.accounts.attention(names);
    const all = pauses.find(({ account }) => account === null) ?? null;
    const items = attention.map((each) => ({
      ...each,
      paused: all ?? pauses.find(({ account }) => account === each.account) ?? null,
    }));
    output.result({ items, next, allPaused: all }, () =>
      items.length === 0
        ? 'The store knows no account.'
        : output.table(
            COLUMNS,
            items.map(({ account, paused, open, inReview, deadLetters, unrecognised }) => [
              output.text(account),
              paused
                ? output.colors.yellow(
                    `paused ${paused.account === null ? '(all) ' : ''}by ${output.text(paused.by)}: ${output.text(paused.note)}`,
                  )
                : 'on',
              ...[open, inReview, deadLetters, unrecognised].map(String),
            ]),
          ),
    );
    if (next !== null && !output.isJson) output.note(`There are more: --after ${next}`);
  });
}
