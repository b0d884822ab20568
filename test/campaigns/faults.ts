/**
 * The fault campaign: every fault that the network, the platform, the database, a host or a listener can have, alone and in
 * random mixtures, on four replicas and one PostgreSQL, in phases of which each has a world of its own.
 * Usage: npm run test:faults [-- --short | --only NAME | --mixtures N] [--seed N]
 */
import { parseArgs } from 'node:util';
import { check, isClean } from './campaign.checker.js';
import type { CampaignPhase } from './campaign.phase.js';
import { printTable, printUnheard } from './campaign.printer.js';
import { CampaignWorld, type WorldOptions } from './campaign.world.js';
import type { PhaseResult } from './phase.result.js';
import { changedAliases } from './phases/changed-aliases.phase.js';
import { mixtures } from './phases/mixtures.phase.js';
import { openTransactions } from './phases/open-transactions.phase.js';
import { simultaneousNews } from './phases/simultaneous-news.phase.js';
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
  simultaneousNews,
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
    for (const phase of phases) await phase.run(world, { short, draw });
    await world.settle();
    for (const phase of phases) await phase.verify?.(world);
    const results = await check(world);
    const clean = isClean(results) && world.problems.length === 0;
    if (!clean) await printUnheard(world);
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
    await play([mixtures(1), stalledStore, simultaneousNews, changedAliases], {
      joinsForms: true,
      subscriptions: 1,
      tuning: { listenerFaults: 0.05, statementTimeoutMs: 2_000 },
    }),
  );
} else {
  for (const phase of chosen()) {
    const since = performance.now();
    outcomes.push(await play([phase], phase.world ?? {}));
    console.log(`${phase.name} took ${Math.round((performance.now() - since) / 1_000)} s`);
  }
}
printTable(outcomes.flatMap(({ results }) => results));
const clean = outcomes.every((outcome) => outcome.clean);
console.log(clean ? 'clean' : 'NOT CLEAN');
process.exitCode = clean ? 0 : 1;
// All that is ours is closed by now. Node 20 was seen to spin for ever in its own clean-up after that.
process.exit();
