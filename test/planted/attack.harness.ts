import { fileURLToPath } from 'node:url';
import { runScriptIn } from '../support/run.script.js';
import type { AttackFault } from './attack.faults.js';
import type { Finding } from './planted.finding.js';
import { environmentWith } from './source.fault.js';

const HOSTILE = fileURLToPath(new URL('../hostile/hostile.ts', import.meta.url));

/** Runs the attack that must find the fault. */
export async function findByAttack(fault: AttackFault): Promise<Finding> {
  const { output } = await runScriptIn(
    environmentWith(fault),
    HOSTILE,
    '--seed',
    '1',
    ...fault.run,
  );
  return { isFound: fault.problem.test(output), detail: fault.run.join(' ') };
}
