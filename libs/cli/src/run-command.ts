import { PaymentsConfigurationError, PaymentsError } from '@tillkit/payments';
import { PostgresConfigurationError } from '@tillkit/postgres';
import { CommanderError } from 'commander';
import { EXIT, type CommandContext } from './command.context.js';
import { CommandError, UsageError } from './command.errors.js';
import { plainJson, plainLines } from './output/plain.text.js';
import { program } from './program.js';

/** Runs a command line. @returns the exit code of the process; see `EXIT_CODES` */
export async function runCommand(
  args: readonly string[],
  context: CommandContext,
): Promise<number> {
  let code: number = EXIT.ok;
  let help = '';
  try {
    const command = program(context, {
      exit: (given) => (code = given),
      explain: (text) => (help += text),
    });
    if (args.length === 0)
      throw new UsageError(`No command given.\n\n${command.helpInformation().trimEnd()}`);
    await command.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    if (!isExpected(error)) throw error;
    const message = messageOf(error, help);
    context.writeError(
      args.includes('--json')
        ? `${plainJson({ error: { code: codeOf(error), message } })}\n`
        : `${plainLines(message)}\n`,
    );
    return isWrongCommand(error) ? EXIT.usage : EXIT.found;
  }
}

function messageOf(error: Error, help: string): string {
  // A command that only has subcommands was called without one.
  if (error instanceof CommanderError && error.code === 'commander.help')
    return `No command given.\n\n${help.trimEnd()}`;
  return error.message.replace(/^error: /, '');
}

function codeOf(error: Error): string {
  if (error instanceof PaymentsError) return error.code;
  return isWrongCommand(error) ? 'USAGE' : 'FAILED';
}

/** The message alone explains these. Anything else is a fault of this package and needs its stack. */
function isExpected(error: unknown): error is Error {
  return isWrongCommand(error) || error instanceof PaymentsError || error instanceof CommandError;
}

function isWrongCommand(error: unknown): boolean {
  return (
    error instanceof UsageError ||
    error instanceof CommanderError ||
    error instanceof PaymentsConfigurationError ||
    error instanceof PostgresConfigurationError
  );
}
