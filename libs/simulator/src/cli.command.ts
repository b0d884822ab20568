import { banner } from './cli-banner.js';
import { UsageError } from './cli.errors.js';
import { readOptions, usage, type CliOutput } from './cli.options.js';
import { SimulatorError } from './simulator.errors.js';
import { Simulator } from './simulator.js';

/** The exit code of a command that has ended, or the platform that it started. */
export type CliResult = { exitCode: number } | { simulator: Simulator };

/** Runs the command line. Errors that a user can correct are printed, not thrown. */
export async function runCommand(args: readonly string[], output: CliOutput): Promise<CliResult> {
  try {
    const options = readOptions(args, output);
    if (options === null) return { exitCode: 0 };
    const simulator = await Simulator.start(options);
    output.out(banner(simulator));
    return { simulator };
  } catch (error) {
    if (error instanceof UsageError) {
      output.error(`${error.message}\n\n${usage()}`);
      return { exitCode: 2 };
    }
    if (error instanceof SimulatorError) {
      output.error(error.message);
      return { exitCode: 1 };
    }
    throw error;
  }
}
