import { fileURLToPath } from 'node:url';
import { runScript } from '../support/run.script.js';

const SIMULATION = fileURLToPath(new URL('./simulation.ts', import.meta.url));

/** Runs the simulation as `npm run test:simulation` does. */
export function simulate(...args: string[]): Promise<{ code: number | null; output: string }> {
  return runScript(SIMULATION, ...args);
}
