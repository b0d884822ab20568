import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SIMULATION = fileURLToPath(new URL('./simulation.ts', import.meta.url));
const HOOKS = new URL('../support/typescript.register.mjs', import.meta.url).href;

/** Runs the simulation as `npm run test:simulation` does. */
export async function simulate(
  ...args: string[]
): Promise<{ code: number | null; output: string }> {
  const simulation = spawn(
    process.execPath,
    ['--conditions=@tillkit/source', '--import', HOOKS, SIMULATION, ...args],
    { env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  simulation.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  simulation.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(simulation, 'exit')) as [number | null];
  return { code, output };
}
