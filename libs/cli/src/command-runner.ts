import type { Command } from 'commander';
import { EXIT, EXIT_CODES, type CommandContext } from './command-context.js';
import { confirmed } from './command-confirmation.js';
import type { CommonOptions, Does, Work } from './command.options.js';
import { withEnvironmentFile } from './environment-file.js';
import { once } from './option-readers.js';
import { Output } from './output/output.js';

/** Gives the commands of a process their work. `exit` gets the exit code. */
export function doing(context: CommandContext, exit: (code: number) => void): Does {
  return {
    reads: (command, work) => complete(command, context, exit, work),
    changes: (command, target, work) =>
      complete(
        command.option('--yes', 'change it without a question, in a script'),
        context,
        exit,
        confirmed(target, work),
      ),
  };
}

/** Adds the options of every command, and its work. */
function complete<Options extends CommonOptions>(
  command: Command,
  context: CommandContext,
  exit: (code: number) => void,
  work: Work<Options>,
): void {
  command
    .allowExcessArguments(false)
    .option('--json', 'print JSON, of the shape that the README of @tillkit/cli has')
    .option('--show-phones', 'print whole phone numbers instead of masked ones')
    .option(
      '--env-file <file>',
      'a file with environment variables, which replace those that are set (default: .env, if there is one, where those that are set count)',
    )
    .addHelpText('after', `\n${EXIT_CODES}`)
    .action(async (...given: unknown[]) => {
      const options = given.at(-2) as Options;
      const environment = withEnvironmentFile(context.environment, options.envFile);
      const output = new Output(context, options);
      const args = given.slice(0, -2) as string[];
      await context.logErrorsOnly();
      exit((await work({ context, environment, output }, options, ...args)) ?? EXIT.ok);
    });
  for (const option of command.options) once(option);
}
