import { CommanderError } from 'commander';
import { EXIT, type CommandContext } from './command-context.js';
import { UsageError } from './command.errors.js';
import { program } from './program.js';

/** Runs a command line. @returns the exit code of the process; see `EXIT_CODES` */
export async function runCommand(
  args: readonly string[],
  context: CommandContext,
): Promise<number> {
  let code: number = EXIT.ok;
  let help = '';
  try {
    // A command may stand after the word "help".
    const command = await program(args.slice(0, 2), context, {
      exit: (given) => (code = given),
      explain: (text) => (help += text),
    });
    if (args.length === 0)
      throw new UsageError(`No command given.\n\n${command.helpInformation().trimEnd()}`);
    await command.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    const { complain } = await import('./complaint.js');
    return complain(error, { help, isJson: args.includes('--json') }, context);
  }
}
