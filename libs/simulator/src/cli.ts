#!/usr/bin/env node
import { runCommand } from './cli.command.js';

const result = await runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  error: (text) => process.stderr.write(`${text}\n`),
});

if ('exitCode' in result) {
  process.exitCode = result.exitCode;
} else {
  const { simulator } = result;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Only the first signal stops the simulator cleanly: a second Ctrl-C ends the process at once.
    process.once(signal, () => void simulator.stop());
  }
}
