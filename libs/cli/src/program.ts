import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { EXIT_CODES, type CommandContext } from './command-context.js';
import type { Does } from './command.options.js';

/** The program reports here how a command ended. */
export interface Ending {
  exit: (code: number) => void;
  /** Gets the help that is printed for a wrong command line. */
  explain: (text: string) => void;
}

interface CommandModule {
  /** Gives a command its arguments, its options and its work, or its subcommands. */
  define: (command: Command, does: Does) => void;
}

/**
 * The description of each command, and the module that defines it. Loading all modules takes a second, so only the called one is loaded.
 */
const COMMANDS: Readonly<
  Record<string, readonly [description: string, load: () => Promise<CommandModule>]>
> = {
  doctor: [
    'find out what is wrong: settings, token, clock, public URL, certificate, keys, database, migrations, listeners',
    () => import('./commands/doctor.command.js'),
  ],
  payments: [
    'show a payment, read it at the platform, or decide a review',
    () => import('./commands/payments.command.js'),
  ],
  reviews: [
    "what waits for a person's decision, and many decisions at once",
    () => import('./commands/reviews.command.js'),
  ],
  deliveries: [
    'list, show and reprocess what the platform has posted',
    () => import('./commands/deliveries.command.js'),
  ],
  'dead-letters': [
    'list and repeat listener calls that are not repeated any more',
    () => import('./commands/dead-letters.command.js'),
  ],
  listeners: [
    'delete a listener that no application has any more',
    () => import('./commands/listeners.command.js'),
  ],
  accounts: [
    'list the accounts of the store, and release their tills',
    () => import('./commands/accounts.command.js'),
  ],
  pause: [
    'stop sending requests that move money, at once and in every process; what was sent is settled as always',
    () => import('./commands/pause.command.js'),
  ],
  resume: [
    'end a pause; that of all accounts and that of one account end on their own',
    () => import('./commands/pause.command.js'),
  ],
  listen: [
    'print deliveries and events as they come, until Ctrl-C; JSON lines with --json',
    () => import('./commands/listen.command.js'),
  ],
  reconcile: [
    'compare a window of each account with the platform: reads only, corrects nothing and emits no event',
    () => import('./commands/reconcile.command.js'),
  ],
  restored: [
    'say that the database was restored to an earlier time, before the application starts: nothing is sent until a person has compared and resumes',
    () => import('./commands/restored.command.js'),
  ],
  export: [
    'print what is stored of one customer, as JSON lines with all personal data: give it to that customer only',
    () => import('./commands/personal-data.command.js'),
  ],
  redact: [
    'redact what is finished of one customer, and name what is still open; amounts, references and idempotency keys stay',
    () => import('./commands/personal-data.command.js'),
  ],
  subscriptions: [
    'compare declared webhook subscriptions with those that were created, and create what is missing',
    () => import('./commands/subscriptions.command.js'),
  ],
  trigger: [
    'post a signed delivery with an example body, as the platform would',
    () => import('./commands/trigger.command.js'),
  ],
  sign: [
    'print the signature of a body, a file or standard input, as the platform makes it',
    () => import('./commands/sign.command.js'),
  ],
  verify: [
    'say which API key made a signature, or why none did',
    () => import('./commands/verify.command.js'),
  ],
  migrate: [
    'bring the schema of the store up to date, or print the SQL that would',
    () => import('./commands/migrate.command.js'),
  ],
};

/** Returns the `tillkit` command line. It loads only the commands that are called; of the others it has the name and the description. */
export async function program(
  called: readonly string[],
  context: CommandContext,
  { exit, explain }: Ending,
): Promise<Command> {
  const root = new Command('tillkit')
    .description('Diagnoses, watches and operates the payments of @tillkit/payments.')
    .version(version())
    .addHelpText('after', `\n${EXIT_CODES}`)
    .exitOverride()
    .configureOutput({ writeOut: context.write, writeErr: explain });
  for (const [name, [description, load]] of Object.entries(COMMANDS)) {
    const command = root.command(name).description(description);
    if (!called.includes(name)) continue;
    const { doing } = await import('./command-runner.js');
    (await load()).define(command, doing(context, exit));
  }
  return root;
}

function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
