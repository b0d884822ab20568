/**
 * The fault campaign: every fault that the network, the platform, the database, a host or a listener can have, alone and in
 * random mixtures, on four replicas and one PostgreSQL, in phases of which each has a world of its own.
 * Usage: npm run test:faults [-- --short | --only NAME | --mixtures N] [--seed N]
 */
import { parseArgs } from 'node:util';
import { check, isClean } from './campaign.checker.js';
import type { CampaignPhase } from './campaign.phase.js';
import { printTable, printMissing } from './campaign.printer.js';
import { CampaignWorld, type WorldOptions } from './campaign.world.js';
import type { PhaseResult } from './phase.result.js';
import { ALIASES, changedAliases } from './phases/changed-aliases.phase.js';
import { mixtures } from './phases/mixtures.phase.js';
import { openTransactions } from './phases/open-transactions.phase.js';
import { simultaneousResults } from './phases/simultaneous-results.phase.js';
import { singleFaults } from './phases/single-faults.phase.js';
import { stalledStore } from './phases/stalled-store.phase.js';
import { unknownPayments } from './phases/unknown-payments.phase.js';
import { webhooksFirst } from './phases/webhooks-first.phase.js';
import { seededRandom } from './seeded.random.js';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    mixtures: { type: 'string' },
    seed: { type: 'string' },
  },
});
/** A little longer than the longest pause between two looks at a payment. */
const SHORT_STILL_MS = 4_000;

const { short } = values;
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const draw = seededRandom(seed);

const WORLD: WorldOptions = {
  seed,
  replicas: short ? 2 : 4,
  joinsForms: false,
  subscriptions: 2,
  tuning: {},
};

const all = [
  singleFaults,
  mixtures(Number(values.mixtures ?? 6)),
  openTransactions,
  stalledStore,
  webhooksFirst,
  simultaneousResults,
  unknownPayments,
  changedAliases,
];

function chosen(): readonly CampaignPhase[] {
  const only = values.only ?? (values.mixtures === undefined ? undefined : 'mixtures');
  const phases = all.filter(({ name }) => only === undefined || only === name);
  if (phases.length > 0) return phases;
  throw new Error(`there is no phase ${only}, only ${all.map(({ name }) => name).join(', ')}`);
}

/** In one world of their own. */
async function play(
  phases: readonly CampaignPhase[],
  options: Partial<WorldOptions>,
): Promise<{ results: PhaseResult[]; clean: boolean }> {
  const world = await CampaignWorld.open({ ...WORLD, ...options });
  try {
    const took: string[] = [];
    for (const phase of phases) {
      const since = performance.now();
      await phase.run(world, { short, draw });
      took.push(`${phase.name} ${((performance.now() - since) / 1_000).toFixed(1)} s`);
    }
    const since = performance.now();
    await world.settle(short ? SHORT_STILL_MS : undefined);
    console.log(
      `${took.join(', ')}, settling ${((performance.now() - since) / 1_000).toFixed(1)} s`,
    );
    for (const phase of phases) await phase.verify?.(world);
    const results = await check(world);
    const clean = isClean(results) && world.problems.length === 0;
    if (!clean) await printMissing(world);
    for (const problem of world.problems) console.log(`PROBLEM: ${problem}`);
    return { results, clean };
  } finally {
    await world.close();
  }
}

console.log(`fault campaign${short ? ' (short)' : ''}, seed ${seed}`);
const outcomes: { results: PhaseResult[]; clean: boolean }[] = [];
if (short) {
  // One world for all: most of what a phase costs is its start.
  outcomes.push(
    await play([changedAliases, simultaneousResults, stalledStore, mixtures(1)], {
      joinsForms: true,
      subscriptions: 1,
      tuning: { listenerFaults: 0.05, statementTimeoutMs: 2_000, tillAliases: ALIASES },
    }),
  );
} else {
  for (const phase of chosen()) {
    outcomes.push(await play([phase], phase.world ?? {}));
  }
}
printTable(outcomes.flatMap(({ results }) => results));
const clean = outcomes.every((outcome) => outcome.clean);
console.log(clean ? 'clean' : 'NOT CLEAN');
process.exitCode = clean ? 0 : 1;
// All that is ours is closed by now. Node 20 was seen to spin for ever in its own clean-up after that.
process.exit();
