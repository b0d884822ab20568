import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PartResult } from '../simulation/simulation.part.js';
import type { Finding } from './planted.finding.js';
import type { SimulationFault } from './simulation.faults.js';
import { environmentWith } from './source.fault.js';

/** A fault that is not found in this many histories counts as not found. */
const MAX_HISTORIES = 60_000;

/** On PostgreSQL a history takes a second, so fewer are searched. */
const MAX_ON_POSTGRES = 300;

/** Histories in one process. Small, because most faults are found early. */
const PART = 500;

const SIMULATION = fileURLToPath(new URL('../simulation/simulation.ts', import.meta.url));

/** Runs histories until one breaks a rule of the fault. */
export async function findBySimulation(fault: SimulationFault): Promise<Finding> {
  const [most, part] = fault.store ? [MAX_ON_POSTGRES, MAX_ON_POSTGRES] : [MAX_HISTORIES, PART];
  for (let from = 1; from <= most;) {
    const found = await run(from, part, fault, environmentWith(fault));
    if (found === null) return { isFound: false, detail: 'it could not be planted' };
    const [failure] = found.failures;
    // A history that breaks the rule without the fault too does not count.
    if (failure && (await run(failure.seed, 1, fault, process.env))?.failures.length === 0)
      return { isFound: true, detail: `history ${failure.seed} breaks "${failure.rule}"` };
    from = failure ? failure.seed + 1 : from + part;
  }
  return { isFound: false, detail: `more than ${most} histories` };
}

/** Runs histories in another process, until one breaks one of the rules. Null when the process could not run them. */
async function run(
  seed: number,
  histories: number,
  { rules, needsTwo, store }: SimulationFault,
  env: NodeJS.ProcessEnv,
): Promise<PartResult | null> {
  const only = rules.flatMap((each) => ['--only', each]);
  const accounts = needsTwo ? ['--two-accounts'] : [];
  const child = fork(
    SIMULATION,
    [
      ...(store ? ['--store', store] : ['--part']),
      '--first',
      ...accounts,
      ...only,
      '--seed',
      String(seed),
      '--histories',
      String(histories),
    ],
    {
      execArgv: process.execArgv,
      stdio: ['ignore', store ? 'ignore' : 'inherit', 'inherit', 'ipc'],
      env,
    },
  );
  const ended = once(child, 'exit').then(() => null);
  const message = await Promise.race([once(child, 'message'), ended]);
  await ended;
  return message === null ? null : (message[0] as PartResult);
}
