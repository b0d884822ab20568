import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { timesInSource } from '../support/source.fault.js';
import { PLANTED_FAULTS, type PlantedFault } from './planted-faults.js';
import type { PartResult } from './simulation.part.js';

/** A fault that is not found in this many histories counts as not found. */
const MAX_HISTORIES = 60_000;

/** The same on PostgreSQL, where a history takes a second. */
const MAX_ON_POSTGRES = 300;

/** Histories in one process. Small, because most faults are found early. */
const PART = 500;

const SIMULATION = fileURLToPath(new URL('./simulation.ts', import.meta.url));

interface Outcome {
  name: string;
  histories: number | string;
  seed: number | string;
  rule: string;
}

/** Plants each fault in turn, and runs histories until one finds it. True when all faults are found. */
export async function runPlantedFaults(only?: string): Promise<boolean> {
  const outcomes: Outcome[] = [];
  const chosen = PLANTED_FAULTS.filter(({ name }) => only === undefined || name.includes(only));
  for (const fault of chosen) {
    const outcome = await plant(fault);
    outcomes.push(outcome);
    console.log(
      `${outcome.name}: ${outcome.histories} histories, seed ${outcome.seed}, "${outcome.rule}"`,
    );
  }
  console.table(outcomes);
  return outcomes.every(({ seed }) => typeof seed === 'number');
}

async function plant(fault: PlantedFault): Promise<Outcome> {
  const { name, file, find, replace, rules, store } = fault;
  const [most, part] = store ? [MAX_ON_POSTGRES, MAX_ON_POSTGRES] : [MAX_HISTORIES, PART];
  const rule = rules.join(', ');
  const count = timesInSource(fault);
  if (count !== 1) {
    return { name, histories: `its text is ${count} times in ${file}`, seed: 'none', rule };
  }
  const planted = JSON.stringify({ file, find, replace });
  for (let from = 1; from <= most;) {
    const found = await run(from, part, fault, planted);
    if (found === null) return { name, histories: 'could not be planted', seed: 'none', rule };
    const [failure] = found.failures;
    // A history that breaks the rule without the fault too does not count.
    if (failure && (await run(failure.seed, 1, fault))?.failures.length === 0)
      return { name, histories: failure.seed, seed: failure.seed, rule: failure.rule };
    from = failure ? failure.seed + 1 : from + part;
  }
  return { name, histories: `more than ${most}`, seed: 'none', rule };
}

/** Runs histories in another process, until one breaks one of the rules. Null when the process could not run them. */
async function run(
  seed: number,
  histories: number,
  { rules, needsTwo, store }: PlantedFault,
  planted?: string,
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
      env: { ...process.env, ...(planted !== undefined && { PLANTED_FAULT: planted }) },
    },
  );
  const ended = once(child, 'exit').then(() => null);
  const message = await Promise.race([once(child, 'message'), ended]);
  await ended;
  return message === null ? null : (message[0] as PartResult);
}
