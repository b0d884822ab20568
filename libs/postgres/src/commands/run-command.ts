import { PaymentsError } from '@tillkit/payments';
import { Command, CommanderError, Option } from 'commander';
import { PostgresConfigurationError } from '../postgres.errors.js';
import { UsageError, type CommandContext } from './command.context.js';
import { runMigrate } from './migrate.command.js';
import { FailedAccountsError, readTime, runReconcile } from './reconcile.command.js';
import { FORMATS } from './report.formats.js';

/** Runs a command line. @returns the exit code of the process: 0, 1 when the store or the platform is away or refuses, 2 for a wrong command line */
export async function runCommand(
  args: readonly string[],
  context: CommandContext,
  writeError: (text: string) => void,
): Promise<number> {
  try {
    const command = program(context);
    if (args.length === 0)
      throw new UsageError(`No command given.\n\n${command.helpInformation().trimEnd()}`);
    await command.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (!isExpected(error)) throw error;
    writeError(`${error.message.replace(/^error: /, '')}\n`);
    return isWrongCommand(error) ? 2 : 1;
  }
}

function program(context: CommandContext): Command {
  const root = new Command('npx @tillkit/postgres')
    .description('Works on the payments that @tillkit/postgres stores.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.write(text), writeErr: () => undefined });
  onDatabase(root.command('migrate'))
    .description('bring the schema up to date, or print the SQL that would')
    .option('--print', 'print the SQL for an empty database and change nothing')
    .action((options: Parameters<typeof runMigrate>[0]) => runMigrate(options, context));
  onDatabase(root.command('reconcile'))
    .addHelpText(
      'after',
      '\nExit codes: 0 every account was compared, 1 an account, the platform or the store failed, 2 the command line is wrong.',
    )
    .description(
      'compare a window of each account with the platform: reads only, corrects nothing and emits no event',
    )
    .option(
      '--account <name>',
      'an account; repeat it for several (default: with --source all that the store knows, else the account of PAYMENTS_*)',
      (name: string, names: string[] | undefined) => [...(names ?? []), name],
    )
    .option(
      '--source <module>',
      'a JavaScript module whose default export returns the options of an account: (account) => ({ clientId, ... }), or null',
    )
    .requiredOption(
      '--from <time>',
      'ISO 8601 with an offset, such as 2026-11-01T00:00:00+03:00',
      readTime('--from'),
    )
    .option('--to <time>', 'the same (default: now)', readTime('--to'))
    .addOption(
      new Option('--format <format>', 'how to print the report').choices(FORMATS).default('table'),
    )
    .action((options: Parameters<typeof runReconcile>[0]) => runReconcile(options, context));
  return root;
}

function onDatabase(command: Command): Command {
  return command
    .option(
      '--url <url>',
      'postgres://user:password@host/database (default: PAYMENTS_DATABASE_URL)',
    )
    .option('--schema <schema>', 'schema of the tables (default: tillkit)');
}

/** The message alone explains these. Anything else is a fault of this package and needs its stack. */
function isExpected(error: unknown): error is Error {
  return (
    isWrongCommand(error) || error instanceof PaymentsError || error instanceof FailedAccountsError
  );
}

function isWrongCommand(error: unknown): boolean {
  return (
    error instanceof UsageError ||
    error instanceof CommanderError ||
    error instanceof PostgresConfigurationError
  );
}
