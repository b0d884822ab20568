import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PLANTED_FAULTS, type PlantedFault } from './planted-faults.js';
import type { PartResult } from './simulation.part.js';

/** A fault that so many histories do not find stays hidden. */
const MOST_HISTORIES = 20_000;

/** Histories are run in parts of this many, so that a fault that is found at once costs little. */
const PART = 500;

const SIMULATION = fileURLToPath(new URL('./simulation.ts', import.meta.url));

const ROOT = new URL('../../', import.meta.url);

interface Outcome {
  name: string;
  histories: number | string;
  seed: number | string;
  rule: string;
}

/** Plants each fault in a process of its own until a history finds it. True when all are found. */
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

async function plant({ name, file, find, replace, rules }: PlantedFault): Promise<Outcome> {
  const rule = rules.join(', ');
  const source = readFileSync(new URL(file, ROOT), 'utf8');
  const count = source.split(find).length - 1;
  if (count !== 1) {
    return { name, histories: `its text is in ${file} ${count} times`, seed: 'none', rule };
  }
  const only = rules.flatMap((each) => ['--only', each]);
  for (let from = 1; from <= MOST_HISTORIES; from += PART) {
    const child = fork(
      SIMULATION,
      ['--part', '--first', ...only, '--seed', String(from), '--histories', String(PART)],
      {
        execArgv: process.execArgv,
        env: { ...process.env, SIMULATION_PLANT: JSON.stringify({ file, find, replace }) },
      },
    );
    const ended = once(child, 'exit').then(() => null);
    const message = await Promise.race([once(child, 'message'), ended]);
    if (message === null) return { name, histories: 'could not be planted', seed: 'none', rule };
    const [{ histories, failures }] = message as [PartResult];
    const [failure] = failures;
    await ended;
    if (failure)
      return { name, histories: from - 1 + histories, seed: failure.seed, rule: failure.rule };
  }
  return { name, histories: `more than ${MOST_HISTORIES}`, seed: 'none', rule };
}
