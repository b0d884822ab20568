import { StoreUnavailableError } from '@tillkit/payments/store';
import { PostgresConfigurationError } from '../postgres.errors.js';
import { UsageError, type Command, type CommandContext } from './command.js';
import { MIGRATE } from './migrate.command.js';
import { RECONCILE } from './reconcile.command.js';

const COMMANDS: readonly Command[] = [MIGRATE, RECONCILE];

const USAGE = `Usage: npx @tillkit/postgres <command> [options]

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`).join('\n')}

  npx @tillkit/postgres <command> --help
`;

/** Runs a command line. @returns the code for the process to end with */
export async function runCommand(
  args: readonly string[],
  context: CommandContext,
  complain: (text: string) => void,
): Promise<number> {
  const [name, ...rest] = args;
  const command = COMMANDS.find((candidate) => candidate.name === name);
  try {
    if (!command) {
      if (name === '--help' || name === '-h') {
        context.write(USAGE);
        return 0;
      }
      throw new UsageError(
        `${name ? `There is no command "${name}".` : 'No command given.'}\n\n${USAGE}`,
      );
    }
    if (rest.includes('--help') || rest.includes('-h')) context.write(`${command.help}\n`);
    else await command.run(rest, context);
    return 0;
  } catch (error) {
    if (!isExpected(error)) throw error;
    complain(`${error.message}\n`);
    return error instanceof StoreUnavailableError ? 1 : 2;
  }
}

/** What the message alone explains. Anything else is a fault of this package and deserves its stack. */
function isExpected(error: unknown): error is Error {
  return (
    error instanceof UsageError ||
    error instanceof StoreUnavailableError ||
    error instanceof PostgresConfigurationError ||
    String((error as NodeJS.ErrnoException | null)?.code).startsWith('ERR_PARSE_ARGS')
  );
}
