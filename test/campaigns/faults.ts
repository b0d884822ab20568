/**
 * The fault campaign: every fault that the network, the platform, the database, a host or a listener can have, alone and in
 * random mixtures, on four replicas and one PostgreSQL. Each phase has its own environment.
 * Usage: npm run test:faults [-- --short | --only NAME | --mixtures N] [--seed N]
 */
import { parseArgs } from 'node:util';
import { check, isClean } from './campaign.checker.js';
import type { CampaignPhase } from './campaign.phase.js';
import { printTable, printMissing } from './campaign.printer.js';
import { CampaignEnvironment, type EnvironmentOptions } from './campaign.environment.js';
import type { PhaseResult } from './phase.result.js';
import { ALIASES, changedAliases } from './phases/changed-aliases.phase.js';
import { moneyOut } from './phases/money-out.phase.js';
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
/** This is a little longer than the longest interval between two reads of a payment. */
const SHORT_UNCHANGED_MS = 4_000;

const { short } = values;
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const draw = seededRandom(seed);

const ENVIRONMENT: EnvironmentOptions = {
  seed,
  replicas: short ? 2 : 4,
  joinsNumbers: false,
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
  moneyOut,
];

function chosen(): readonly CampaignPhase[] {
  const only = values.only ?? (values.mixtures === undefined ? undefined : 'mixtures');
  const phases = all.filter(({ name }) => only === undefined || only === name);
  if (phases.length > 0) return phases;
  throw new Error(
    `there is no phase ${only}; the phases are ${all.map(({ name }) => name).join(', ')}`,
  );
}

async function runPhases(
  phases: readonly CampaignPhase[],
  options: Partial<EnvironmentOptions>,
): Promise<{ results: PhaseResult[]; clean: boolean }> {
  const environment = await CampaignEnvironment.open({ ...ENVIRONMENT, ...options });
  try {
    const took: string[] = [];
    for (const phase of phases) {
      const since = performance.now();
      await phase.run(environment, { short, draw });
      took.push(`${phase.name} ${((performance.now() - since) / 1_000).toFixed(1)} s`);
    }
    const since = performance.now();
    await environment.settle(short ? SHORT_UNCHANGED_MS : undefined);
    console.log(
      `${took.join(', ')}, settling ${((performance.now() - since) / 1_000).toFixed(1)} s`,
    );
    for (const phase of phases) await phase.verify?.(environment);
    const results = await check(environment);
    const clean = isClean(results) && environment.problems.length === 0;
    if (!clean) await printMissing(environment);
    for (const problem of environment.problems) console.log(`PROBLEM: ${problem}`);
    return { results, clean };
  } finally {
    await environment.close();
  }
}

console.log(`fault campaign${short ? ' (short)' : ''}, seed ${seed}`);
const outcomes: { results: PhaseResult[]; clean: boolean }[] = [];
if (short) {
  // All phases share one environment, because its start takes most of the time of a short phase.
  outcomes.push(
    await runPhases([changedAliases, simultaneousResults, stalledStore, mixtures(1), moneyOut], {
      joinsNumbers: true,
      subscriptions: 1,
      tuning: {
        listenerFaults: 0.05,
        // A busy machine needs more time than the phase of the stalled store, if it is alone.
        statementTimeoutMs: 4_000,
        sendBeforeMs: 20_000,
        tillAliases: ALIASES,
      },
    }),
  );
} else {
  for (const phase of chosen()) {
    outcomes.push(await runPhases([phase], phase.environment ?? {}));
  }
}
printTable(outcomes.flatMap(({ results }) => results));
const clean = outcomes.every((outcome) => outcome.clean);
console.log(clean ? 'clean' : 'NOT CLEAN');
process.exitCode = clean ? 0 : 1;
// Everything is closed. Node 20 sometimes loops for ever in its own clean-up after that.
process.exit();
