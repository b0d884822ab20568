import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CommandContext } from '../../libs/cli/src/command-context.js';
import { runCommand } from '../../libs/cli/src/run-command.js';

/** The output of a command, and its exit code. */
export interface Ran {
  code: number | null;
  out: string;
  complaint: string;
}

interface Surroundings {
  environment?: Record<string, string>;
  input?: string;
  /** The person at the terminal, who says yes by default; null when there is no terminal. A process has none. */
  ask?: CommandContext['ask'];
}

/** Returns a database as a command names it. */
export function shownDatabase({ url }: { url: string }): string {
  const { host, pathname } = new URL(url);
  return `the database ${host}${pathname}`;
}

/** Runs a `tillkit` command in this process. */
export async function tillkit(
  args: readonly string[],
  { environment = {}, input = '', ask = () => Promise.resolve('yes') }: Surroundings = {},
): Promise<Ran> {
  let out = '';
  let complaint = '';
  const code = await runCommand(args, {
    write: (text) => (out += text),
    writeError: (text) => (complaint += text),
    readInput: () => Promise.resolve(Buffer.from(input)),
    ask,
    environment,
    hasColors: false,
    progress: null,
    interrupted: () => new AbortController().signal,
    logErrorsOnly: () => undefined,
  });
  return { code, out, complaint };
}

const HOOKS = new URL('./typescript.register.mjs', import.meta.url).href;
const pathOf = (file: string): string =>
  fileURLToPath(new URL(`../../libs/cli/${file}`, import.meta.url));

/** The built program, or its source. */
const PROGRAM =
  process.env['TEST_TARGET'] === 'dist'
    ? [pathOf('dist/cli.js')]
    : ['--conditions=@tillkit/source', '--import', HOOKS, pathOf('src/cli.ts')];

/** A program that runs. */
interface Started {
  process: ChildProcess;
  ended: Promise<Ran>;
  printed: () => string;
  complained: () => string;
}

/** Starts the program in its own process. Its environment has only the given variables, and none of ours. */
export function startTillkit(
  args: readonly string[],
  { environment = {}, input = '' }: Surroundings = {},
): Started {
  const program = spawn(process.execPath, [...PROGRAM, ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let complaint = '';
  program.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  program.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  program.stdin.end(input);
  const ended = once(program, 'close').then(([code]) => ({
    code: code as number | null,
    out,
    complaint,
  }));
  return { process: program, ended, printed: () => out, complained: () => complaint };
}

/** Runs the program in its own process. */
export function tillkitProcess(
  args: readonly string[],
  surroundings: Surroundings = {},
): Promise<Ran> {
  return startTillkit(args, surroundings).ended;
}
