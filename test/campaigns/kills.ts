/**
 * The kill campaign: SIGKILL of random replicas and of PostgreSQL at random times, and SIGSTOP past a lease, while payments
 * are requested and events are emitted. Usage: npm run test:kills [-- --rounds 200] [--seed N]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { check, isClean } from './campaign.checker.js';
import { printTable, printMissing } from './campaign.printer.js';
import { CampaignEnvironment } from './campaign.environment.js';
import { checkBooks } from './money-out.checker.js';
import { askForPayouts, refundPayments, shareLinks } from './phases/money-out.phase.js';
import { seededRandom } from './seeded.random.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '200' }, seed: { type: 'string' } },
});
const rounds = Number(values.rounds);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const random = seededRandom(seed);

/** Payments in each round. */
const PER_ROUND = 6;

const PAYOUTS_PER_ROUND = 5;

/** A freeze is longer than the lease of a listener call, so that another replica takes over. */
const FREEZE_MS = 2_500;

const SCENARIOS = ['01', '20', '33', '02', '12', '10'];

async function round(environment: CampaignEnvironment, n: number): Promise<string> {
  const asking = Promise.all([
    environment.hosts.ask(phaseOf(n), PER_ROUND, {
      scenario: (payment) => SCENARIOS[payment % SCENARIOS.length] as string,
    }),
    askForPayouts(environment, phaseOf(n), PAYOUTS_PER_ROUND),
    n % 4 === 0 && refundPayments(environment, phaseOf(n), 2),
    n % 4 === 2 && shareLinks(environment, phaseOf(n), 3),
  ]);
  await sleep(random() * 400);
  const dice = random();
  if (dice < 0.08) await environment.database.kill();
  else if (dice < 0.16) await environment.replicas.freezeOne(random, FREEZE_MS);
  else await environment.replicas.killOne(random);
  await asking;
  return dice < 0.08
    ? 'PostgreSQL killed'
    : dice < 0.16
      ? 'replica frozen past its lease'
      : 'replica killed';
}

/** Rounds are grouped into ten phases, so that the table stays short. */
function phaseOf(n: number): string {
  const size = Math.max(1, Math.ceil(rounds / 10));
  const first = Math.floor(n / size) * size;
  return `rounds ${first + 1} to ${Math.min(rounds, first + size)}`;
}

console.log(`kill campaign of ${rounds} rounds, seed ${seed}`);
const environment = await CampaignEnvironment.open({
  seed,
  replicas: 4,
  joinsNumbers: false,
  subscriptions: 2,
  tuning: { listenerFaults: 0.02 },
});
const began = performance.now();
try {
  const done: Record<string, number> = {};
  for (let n = 0; n < rounds; n += 1) {
    const what = await round(environment, n);
    done[what] = (done[what] ?? 0) + 1;
    // Shows progress: a run of 200 rounds takes many minutes.
    if (phaseOf(n) !== phaseOf(n + 1))
      console.log(`${phaseOf(n)} after ${Math.round((performance.now() - began) / 1_000)} s`);
  }
  await environment.settle();
  const results = await check(environment);
  checkBooks(environment);
  for (const problem of environment.problems) console.log(`PROBLEM: ${problem}`);
  const clean = isClean(results) && environment.problems.length === 0;
  printTable(results);
  if (!clean) await printMissing(environment);
  console.log(
    Object.entries(done)
      .map(([what, times]) => `${what}: ${times}`)
      .join(', '),
  );
  console.log(clean ? 'clean' : 'NOT CLEAN');
  process.exitCode = clean ? 0 : 1;
} finally {
  await environment.close();
}
// Everything is closed. Node 20 sometimes loops for ever in its own clean-up after that.
process.exit();
