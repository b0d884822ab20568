#!/usr/bin/env node
import { buffer } from 'node:stream/consumers';
import { answerTo } from './command-confirmation.js';
import { runCommand } from './run-command.js';

// The reader of our output has gone, as in `tillkit deliveries list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

const { stdin, stdout, stderr, env } = process;

const code = await runCommand(process.argv.slice(2), {
  write: (text) => stdout.write(text),
  writeError: (text) => stderr.write(text),
  readInput: () => buffer(stdin),
  ask: stdin.isTTY && stderr.isTTY ? (question) => answerTo(question, stdin, stderr) : null,
  environment: env,
  hasColors: env['FORCE_COLOR']
    ? !env['NO_COLOR']
    : stdout.isTTY && stdout.hasColors() && !env['NO_COLOR'],
  progress: stderr.isTTY ? stderr : null,
  interrupted: () => {
    const interrupt = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => interrupt.abort());
    return interrupt.signal;
  },
  logErrorsOnly: async () => {
    const { Logger } = await import('@nestjs/common');
    Logger.overrideLogger(['error', 'fatal']);
  },
});

// Work that was given up, such as a connection that nobody answers, must not keep the process alive. We exit once all output is written.
stdout.write('', () => stderr.write('', () => process.exit(code)));
