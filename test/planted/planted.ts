/**
 * Plants one fault at a time in the library's source, and sees that its harness finds it: specs (with the contract of stores), the
 * simulation, the attack, or the run on real brokers.
 * Usage: npm run test:planted [-- HARNESS ...] [--name TEXT]
 */
import { parseArgs } from 'node:util';
import { findByAttack } from './attack.harness.js';
import { findByBus } from './bus.harness.js';
import { PLANTED_FAULTS } from './planted.faults.js';
import type { Finding } from './planted.finding.js';
import { findBySimulation } from './simulation.harness.js';
import { timesInSource, type SourceFault } from './source.fault.js';
import { findBySpec, passWithoutFaults } from './spec.harness.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { name: { type: 'string', default: '' } },
});
const unknown = positionals.filter((harness) => !(harness in PLANTED_FAULTS));
if (unknown.length > 0) {
  const known = Object.keys(PLANTED_FAULTS).join(', ');
  console.error(`There is no harness ${unknown.join(', ')}: name some of ${known}.`);
  process.exit(2);
}

let planted = 0;
let missed = 0;

const { specs, simulation, attack, bus } = PLANTED_FAULTS;
const ofSpecs = chosen('specs', specs);
const unfit = ofSpecs.length > 0 ? await passWithoutFaults(ofSpecs) : null;
await plantAll(ofSpecs, (fault) =>
  unfit?.isFound === false ? Promise.resolve(unfit) : findBySpec(fault),
);
await plantAll(chosen('simulation', simulation), findBySimulation);
await plantAll(chosen('attack', attack), findByAttack);
await plantAll(chosen('bus', bus), findByBus);
console.log(`${planted - missed} of ${planted} planted faults found`);
process.exitCode = missed > 0 || planted === 0 ? 1 : 0;

function chosen<Fault extends SourceFault>(harness: string, faults: readonly Fault[]): Fault[] {
  const isWanted = positionals.length === 0 || positionals.includes(harness);
  return faults.filter(({ name }) => isWanted && name.includes(values.name));
}

async function plantAll<Fault extends SourceFault>(
  faults: readonly Fault[],
  find: (fault: Fault) => Promise<Finding>,
): Promise<void> {
  for (const fault of faults) {
    const times = timesInSource(fault);
    const { isFound, detail } =
      times === 1
        ? await find(fault)
        : { isFound: false, detail: `its text is ${times} times in ${fault.file}` };
    planted += 1;
    if (!isFound) missed += 1;
    console.log(`${isFound ? 'found' : 'MISSED'}: ${fault.name}: ${detail}`);
  }
}
