import type { Command } from 'commander';
import type { CommandContext } from './command-context.js';
import { filledText, wholeNumber } from './option-readers.js';
import type { Output } from './output/output.js';

/** Every command has these options. */
export interface CommonOptions {
  json?: true;
  showPhones?: true;
  envFile?: string;
}

/** Options of every command that changes something. */
export interface ConfirmedOptions extends CommonOptions {
  yes?: true;
}

/** Options of every command that works on a database. */
export interface DatabaseOptions {
  url?: string;
  schema?: string;
}

/** Options of every command that works for one account. */
export interface AccountOptions extends DatabaseOptions {
  account?: string;
  source?: string;
  prefix?: string;
}

/** Options of every command that lists a page at a time. */
export interface PageOptions {
  limit: number;
  after?: string;
}

export interface Invocation {
  readonly context: CommandContext;
  /** The environment, with the variables of `--env-file` or `.env`. */
  readonly environment: NodeJS.ProcessEnv;
  readonly output: Output;
}

/** Does the work of a command. Resolves with the exit code; nothing is 0. */
export type Work<Options> = (
  invocation: Invocation,
  options: Options,
  ...args: string[]
) => Promise<number | void>;

/** Names what a command changes, for the person who is asked. Null means that the command changes nothing with these options. */
export type Target<Options> = (
  invocation: Invocation,
  options: Options,
  ...args: string[]
) => Promise<string | null> | string | null;

/** Gives a command its work. Each command says here whether it changes something, so that none changes anything unasked. */
export interface Does {
  /** The command changes nothing. */
  reads<Options extends CommonOptions>(command: Command, work: Work<Options>): void;
  /** The command names what it changes, and asks. `--yes` answers for a script. */
  changes<Options extends ConfirmedOptions>(
    command: Command,
    target: Target<Options>,
    work: Work<Options>,
  ): void;
}

export function onDatabase(command: Command): Command {
  return command
    .option(
      '--url <url>',
      'postgres://user:password@host/database (default: PAYMENTS_DATABASE_URL)',
    )
    .option('--schema <schema>', 'schema of the tables (default: tillkit)');
}

/** Adds the options of a command that reads or changes the stored data of one account. */
export function ofAccount(command: Command): Command {
  return onDatabase(command).option(
    '--account <name>',
    'the account (default: the account "default", or the only one of the store)',
  );
}

/** Adds the options of a command that lists a page at a time. */
export function paged(command: Command): Command {
  return command
    .addOption(wholeNumber('--limit <count>', 'how many', { least: 1, most: 200, default: 50 }))
    .option('--after <cursor>', '`next` of the page before');
}

/** Returns the requested page, in the form that a store takes. */
export function pageOf({ limit, after }: PageOptions): { limit: number; after?: string } {
  return { limit, ...(after !== undefined && { after }) };
}

/** Adds the options of a command that also asks the platform, so that it needs the credentials of the account. */
export function withCredentials(command: Command): Command {
  return command
    .option(
      '--source <module>',
      'a JavaScript module whose default export returns the options of an account: (account) => ({ clientId, ... }), or null ' +
        '(default: PAYMENTS_*, for the account "default")',
    )
    .option(
      '--prefix <path>',
      'the global prefix of the application, such as api, when a URL of its routes is needed',
    );
}

/** Adds `--by` and `--note`. Both stay in the history. */
export function ofPerson(command: Command): Command {
  return by(command, 'who decides: it stays in the history').addOption(
    filledText('--note <text>', 'why: it stays in the history').makeOptionMandatory(),
  );
}

/** Adds a required `--by`. */
export function by(command: Command, description: string): Command {
  return command.addOption(filledText('--by <name>', description).makeOptionMandatory());
}
