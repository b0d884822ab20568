#!/usr/bin/env node
import { runCommand } from './commands/run-command.js';

process.exitCode = await runCommand(
  process.argv.slice(2),
  { write: (text) => process.stdout.write(text), environment: process.env },
  (text) => process.stderr.write(text),
);
