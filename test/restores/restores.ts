/**
 * Shops whose database is restored to an earlier state while customers pay: nobody may be charged twice, and no money may be given to another order.
 * Usage: npm run test:restores [-- --histories N] [--seed S] | -- --planted
 */
import { parseArgs } from 'node:util';
import type { Alterations } from '../support/altered.store.js';
import { startTestServer, stopTestServer } from '../contracts/test-database.js';
import { RestoreHistory } from './restore.history.js';

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    planted: { type: 'boolean', default: false },
  },
});
const seeds = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => Number(values.seed) + index);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const MOST_FOR_A_FAULT = 20;

/** Each makes the store break a promise, which a history must find. */
const FAULTS: [string, Alterations][] = [
  ['forgets the lost time', { restores: { find: () => async () => [] } }],
];

/** Whether no history breaks a promise. */
async function search(): Promise<boolean> {
  let found = 0;
  for (const seed of seeds(Number(values.histories))) {
    for (const problem of await new RestoreHistory(seed).run()) {
      found += 1;
      say(`  PROBLEM seed ${seed}: ${problem}`);
    }
  }
  say(found === 0 ? 'clean' : `${found} problems`);
  return found === 0;
}

/** The first history that finds a fault, or null. */
async function finder(fault: Alterations): Promise<number | null> {
  for (const seed of seeds(MOST_FOR_A_FAULT))
    if ((await new RestoreHistory(seed, fault).run()).length > 0) return seed;
  return null;
}

async function findPlantedFaults(): Promise<boolean> {
  let areFound = true;
  for (const [name, fault] of FAULTS) {
    const seed = await finder(fault);
    if (seed === null) areFound = false;
    say(`the store ${name}: ${seed === null ? 'NOT FOUND' : `found by seed ${seed}`}`);
  }
  return areFound;
}

await startTestServer();
const isGood = values.planted ? await findPlantedFaults() : await search();
await stopTestServer();
process.exit(isGood ? 0 : 1);
