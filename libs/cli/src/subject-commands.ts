import type { Command } from 'commander';
import type { CommonOptions, Does, Invocation } from './command.options.js';
import type { Columns, Output } from './output/output.js';

export interface ListDefinition<Item, Options> {
  /** Reads the items; `--json` prints the result. */
  read: (invocation: Invocation, options: Options) => Promise<Found<Item>>;
  columns: Columns<Item>;
  /** Names the items in the plural, for the message that there are none: `dead letters`. */
  what: (options: Options) => string;
}

interface Found<Item> {
  /** Missing when the list is of all accounts. */
  account?: string;
  items: readonly Item[];
  /** The cursor of the next page. */
  next?: string | null;
}

/** Makes a command list a subject. */
export function lists<Item, Options extends CommonOptions>(
  command: Command,
  does: Does,
  { read, columns, what }: ListDefinition<Item, Options>,
): void {
  does.reads(command, async (invocation, options: Options) => {
    const { output } = invocation;
    const found = await read(invocation, options);
    const { account, items, next = null } = found;
    const where = account === undefined ? 'The store' : `Account "${output.text(account)}"`;
    output.result(found, () =>
      items.length === 0 ? `${where} has no ${what(options)}.` : output.table(columns, items),
    );
    if (next !== null && !output.isJson) output.note(`There are more: --after ${next}`);
  });
}

export interface ShowDefinition<Found, Options> {
  /** Reads the item; `--json` prints it. */
  read: (invocation: Invocation, options: Options, named: string) => Promise<Found>;
  parts: Parts<Found>;
}

type Parts<Found> = (found: Found, output: Output) => readonly string[];

/** Makes a command show one of a subject. */
export function shows<Found, Options extends CommonOptions>(
  command: Command,
  does: Does,
  { read, parts }: ShowDefinition<Found, Options>,
): void {
  does.reads(command, async (invocation, options: Options, named?: string) => {
    print(await read(invocation, options, named as string), parts, invocation.output);
  });
}

/** Prints the parts of what was found, with an empty line between them. */
export function print<Found>(found: Found, parts: Parts<Found>, output: Output): void {
  output.result(found, () => parts(found, output).join('\n\n'));
}
