import type { Command } from 'commander';
import {
  onDatabase,
  type CommonOptions,
  type DatabaseOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { wholeNumber } from '../option.readers.js';
import { withStore } from '../store.connection.js';

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
  const accounts = root.command('accounts').description('list the accounts of the store');
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
}

function runList(invocation: Invocation, options: ListOptions): Promise<void> {
  const { output } = invocation;
  const { beginsWith, limit, after } = options;
  return withStore(invocation, options, async (store) => {
    const filter = { ...(beginsWith !== undefined && { beginsWith }) };
    const page = { limit, ...(after !== undefined && { after }) };
    const [{ items: names, next }, pauses] = await Promise.all([
      store.accounts.list(filter, page),
      store.traffic.pauses(),
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
