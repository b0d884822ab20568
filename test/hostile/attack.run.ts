import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_TIMINGS, Simulator } from '@tillkit/simulator';
import { CampaignDatabase } from '../campaigns/campaign.database.js';
import { seededRandom } from '../campaigns/seeded.random.js';
import { webhookBody } from '../support/deliver.js';
import { freePort } from '../support/free.port.js';
import { ATTACKS } from './attacks.js';
import { Others } from './others.js';
import { Poster } from './poster.js';
import { TargetProcess } from './target.process.js';
import { Truth } from './truth.js';

export interface RunOptions {
  platform: 'express' | 'fastify';
  seed: number;
  scale: number;
  deliveries: number;
  /** True when the target keeps its data in PostgreSQL. In memory, each delivery that it accepts makes it larger. */
  onPostgres: boolean;
  /** Part of the name of the attacks to run; all when it is empty. */
  only: string;
  say: (line: string) => void;
}

const MOST_MEMORY = 1.5;
/** An expected event is lost when nothing has come for so long. */
const LOST_MS = 120_000;
const WARMED_UP_AT_ONCE = 48;
/** Payments that mutated deliveries name. Each attack has one more, which the platform reports as paid meanwhile. */
const ATTACKED_PAYMENTS = 20;

/** Runs every attack on one target. Returns what went wrong. */
export async function attack(options: RunOptions): Promise<readonly string[]> {
  const simulator = await Simulator.start({
    seed: options.seed,
    // The platform itself says nothing of the payments: no prompt expires during a run.
    timings: { ...DEFAULT_TIMINGS, promptTimeout: 86_400_000 },
  });
  const database = options.onPostgres ? await CampaignDatabase.start() : null;
  const target = await TargetProcess.start({
    platform: options.platform,
    port: await freePort(),
    baseUrl: simulator.url,
    clientId: simulator.clientId,
    clientSecret: simulator.clientSecret,
    apiKey: simulator.apiKey,
    databaseUrl: database?.url ?? null,
    // Long enough for the two packets of a delivery of the platform on a busy machine.
    bodyTimeoutMs: options.scale === 1 ? 10_000 : 5_000,
    payments: ATTACKED_PAYMENTS + ATTACKS.length,
  });
  const truth = new Truth(simulator.apiKey);
  try {
    await runAll(options, target, truth);
  } finally {
    await target.stop();
    await simulator.stop();
    await database?.stop();
  }
  return truth.problems;
}

async function runAll(options: RunOptions, target: TargetProcess, truth: Truth): Promise<void> {
  const { scale, deliveries, say } = options;
  const random = seededRandom(options.seed);
  await warmUp(target, truth, Math.ceil(12_000 * scale));
  await settled(target, truth, scale);
  const idleMb = await target.restingMb();
  say(`idle ${idleMb.toFixed(0)} MB`);
  const paid = target.payments.splice(ATTACKED_PAYMENTS);
  for (const { name, run } of ATTACKS.filter((one) => one.name.includes(options.only))) {
    const others = new Others(target, truth, paid.pop());
    const done = await run({ target, truth, random, scale, deliveries });
    const { served, peakMb } = await others.stop();
    const ratio = peakMb / idleMb;
    // A short run says nothing about memory: its idle process has not yet grown to its usual size.
    if (scale === 1 && ratio > MOST_MEMORY)
      truth.problem(
        `${name}: the memory rose to ${ratio.toFixed(2)} times that of the idle process`,
      );
    say(`${name}: ${done}; others served: ${served}; memory at most ${ratio.toFixed(2)} x idle`);
  }
  await settled(target, truth, scale);
  truth.check(target);
}

/** Posts deliveries of the platform, until the code is compiled and the heap has its usual size. */
async function warmUp(target: TargetProcess, truth: Truth, count: number): Promise<void> {
  const poster = new Poster(target.url, WARMED_UP_AT_ONCE);
  for (let n = 0; n < count; n += WARMED_UP_AT_ONCE) {
    await Promise.all(
      Array.from({ length: WARMED_UP_AT_ONCE }, (_, k) => {
        const body = Buffer.from(webhookBody({ reference: `WARM${n + k}` }));
        truth.posts(body, truth.sign(body));
        return poster.post('/payments/webhooks', body, {
          'X-KopoKopo-Signature': truth.sign(body),
        });
      }),
    );
  }
  poster.close();
}

/** Waits until the target has emitted all expected events, and then until nothing else comes. */
async function settled({ events }: TargetProcess, truth: Truth, scale: number): Promise<void> {
  const quietMs = scale === 1 ? 3_000 : 500;
  let before = -1;
  let changedAt = performance.now();
  for (;;) {
    if (before !== events.length) changedAt = performance.now();
    else if (truth.missing(events).length === 0 || performance.now() - changedAt > LOST_MS) return;
    before = events.length;
    await sleep(quietMs);
  }
}
