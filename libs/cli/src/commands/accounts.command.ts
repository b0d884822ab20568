import type { AccountAttention } from '@tillkit/payments/internal/store';
import type { Pause } from '@tillkit/payments/types';
import type { Command } from 'commander';
import { withAccounts } from '../account-context.js';
import { CommandError } from '../command.errors.js';
import {
  ofPerson,
  onDatabase,
  paged,
  pageOf,
  type CommonOptions,
  type DatabaseOptions,
  type Does,
  type Invocation,
  type PageOptions,
} from '../command.options.js';
import type { Output } from '../output/output.js';
import { accountTarget } from '../command-targets.js';
import { withStore } from '../store-connection.js';
import { lists, type ListDefinition } from '../subject-commands.js';

interface ReleaseOptions extends CommonOptions, DatabaseOptions {
  till?: string;
  by: string;
  note: string;
}

interface ListOptions extends CommonOptions, DatabaseOptions, PageOptions {
  beginsWith?: string;
}

interface ListedAccount extends AccountAttention {
  paused: Pause | null;
}

const LIST: ListDefinition<ListedAccount, ListOptions> = {
  read: (invocation, options) =>
    withStore(invocation, options, async (store) => {
      const { beginsWith } = options;
      const filter = { ...(beginsWith !== undefined && { beginsWith }) };
      const [{ items: names, next }, pauses] = await Promise.all([
        store.accounts.list(filter, pageOf(options)),
        store.pauses.all(),
      ]);
      const pauseOf = (account: string | null): Pause | null =>
        pauses.find((pause) => pause.account === account) ?? null;
      const allPaused = pauseOf(null);
      const items = (await store.accounts.attention(names)).map((each) => ({
        ...each,
        paused: allPaused ?? pauseOf(each.account),
      }));
      return { items, next, allPaused };
    }),
  columns: {
    account: 'account',
    sending: ({ paused }, output) => (paused ? pausedText(paused, output) : 'on'),
    open: 'open',
    'in review': 'inReview',
    'dead letters': 'deadLetters',
    unrecognised: 'unrecognised',
  },
  what: () => 'accounts',
};

export function define(accounts: Command, does: Does): void {
  lists(
    paged(
      onDatabase(accounts.command('list'))
        .description(
          'list accounts that were ever in use, with what needs attention; counts end at 101',
        )
        .option('--begins-with <text>', 'only names that begin so'),
    ),
    does,
    LIST,
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

/** This needs the database only, because the account may be one that no application has any more. */
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

function pausedText({ account, by, note }: Pause, output: Output): string {
  const whose = account === null ? '(all) ' : '';
  return output.colors.yellow(`paused ${whose}by ${output.text(by)}: ${output.text(note)}`);
}
