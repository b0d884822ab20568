import { createRequire } from 'node:module';
import { USAGE, UsageError, readArguments } from './cli.arguments.js';
import { banner } from './cli.banner.js';
import { SimulatorError } from './simulator.errors.js';
import { Simulator } from './simulator.js';

/** Where the command prints. */
export interface CliOutput {
  out(text: string): void;
  error(text: string): void;
}

/** How the command ended, or the platform that it started. */
export type CliResult = { exitCode: number } | { simulator: Simulator };

/** Does what the command line asks for. Errors that a user can cure are printed, not thrown. */
export async function runCommand(args: readonly string[], output: CliOutput): Promise<CliResult> {
  try {
    const request = readArguments(args);
    if (request.command === 'help') {
      output.out(USAGE);
      return { exitCode: 0 };
    }
    if (request.command === 'version') {
      output.out(version());
      return { exitCode: 0 };
    }
    const simulator = await Simulator.start(request.options);
    output.out(banner(simulator));
    return { simulator };
  } catch (error) {
    if (error instanceof UsageError) {
      output.error(`${error.message}\n\n${USAGE}`);
      return { exitCode: 2 };
    }
    if (error instanceof SimulatorError) {
      output.error(error.message);
      return { exitCode: 1 };
    }
    throw error;
  }
}

function version(): string {
  const manifest = createRequire(import.meta.url)('../package.json') as { version: string };
  return manifest.version;
}
