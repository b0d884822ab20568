import { spawn } from 'node:child_process';
import { once } from 'node:events';

const HOOKS = new URL('./typescript.register.mjs', import.meta.url).href;

interface Ended {
  code: number | null;
  output: string;
}

/** Runs a TypeScript program of the tests as its npm script does. */
export function runScript(path: string, ...args: string[]): Promise<Ended> {
  return runScriptIn(process.env, path, ...args);
}

export async function runScriptIn(
  environment: NodeJS.ProcessEnv,
  path: string,
  ...args: string[]
): Promise<Ended> {
  const program = spawn(
    process.execPath,
    ['--conditions=@tillkit/source', '--import', HOOKS, path, ...args],
    { env: { ...environment, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  program.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  program.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(program, 'exit')) as [number | null];
  return { code, output };
}
