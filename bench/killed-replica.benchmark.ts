import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench.context.js';
import type { Benchmark } from './benchmark.js';
import { alternate, type Contender, type Measurement } from './rounds.js';
import { requirePaid, unfinishedPhones, unsentPhones } from './shops.database.js';
import { formatSpread, number } from './statistics.js';
import type { SubjectProcess } from './subject.process.js';
import { phoneOf, type Completed, type Many, type Paced } from './subjects/orders.js';

/** The default of `listeners.leaseMs`, and the lease of a delivery. */
const LEASE_MS = 30_000;
const REACH_MS = LEASE_MS + 5_000;

/** How long the work of the killed replica may take before the run fails. */
const MOST_MS = 3 * REACH_MS;

const KILLED = 'killed replica';

/** One of two replicas is killed under load: how long its unfinished work takes. */
export const killedReplica: Benchmark = {
  name: 'killed-replica',
  title: 'A replica is killed under load',
  async run(bench) {
    const samples = await alternate([contender(bench)], bench.rounds(3), (line) => bench.log(line));
    const recovery = samples.spread(KILLED, 'recoveryMs');
    const seconds = { ...recovery };
    for (const key of ['median', 'low', 'high'] as const) seconds[key] /= 1000;
    return {
      findings: [
        {
          what:
            'one of two replicas killed (SIGKILL) at a third of the full rate: until every accepted payment of that moment is paid and ' +
            'every transaction stored',
          against: `nothing: ${LEASE_MS / 1000} s is the lease of a delivery and of a listener call`,
          reach: `≤ ${REACH_MS / 1000} s, in every round`,
          measured:
            `${formatSpread(seconds, ' s')}; unfinished at that moment: ${formatSpread(samples.spread(KILLED, 'unfinished'))}, at ` +
            `${number(samples.spread(KILLED, 'rate').median)} payments a second; excluded: ${formatSpread(samples.spread(KILLED, 'excluded'))}`,
          reached: recovery.high <= REACH_MS,
        },
      ],
      charts: [],
      samples,
      notes: [
        'The load goes on: the other replica takes over the share of the killed one. A payment counts as accepted when the platform ' +
          'answered 201, or when Tillkit had recorded it and the other replica sent it later. Excluded are orders whose `request()` ran at ' +
          'that moment and that the platform never accepted: their host got no answer, and asks again with the same key.',
      ],
    };
  },
};

function contender(bench: BenchContext): Contender {
  const measure = (): Promise<Measurement> =>
    bench.withDatabase((databaseUrl) =>
      bench.with('paying-platform', { withinMs: 5 }, async (platform) => {
        const settings = {
          platform: 'fastify',
          databaseUrl,
          baseUrl: await platform.call<string>('url'),
        };
        const [survivor, victim] = await Promise.all([
          bench.start('merchant', settings),
          bench.start('merchant', settings),
        ]);
        try {
          return await killUnderLoad(bench, { databaseUrl, platform, survivor, victim });
        } finally {
          await Promise.all([bench.stop(survivor), bench.stop(victim)]);
        }
      }),
    );
  return { name: KILLED, open: async () => ({ measure, close: async () => undefined }) };
}

interface Parts {
  databaseUrl: string;
  platform: SubjectProcess;
  survivor: SubjectProcess;
  victim: SubjectProcess;
}

async function killUnderLoad(bench: BenchContext, parts: Parts): Promise<Measurement> {
  const { databaseUrl, platform, survivor, victim } = parts;
  const urls = [survivor, victim].map((shop) => shop.call<string>('url'));
  await platform.call('deliverTo', await Promise.all(urls));
  const warmUp = bench.size(600, 40);
  const rate = (await fullRate([survivor, victim], warmUp)) / 3;

  // Each replica asks for half of the payments. The orders of the two, and of the share that is taken over, have their own numbers.
  const halfMs = bench.size(5_000, 1_000);
  const everyMs = 2_000 / rate;
  const share = Math.ceil(halfMs / everyMs);
  const paced = (shop: SubjectProcess, from: number, count: number): Promise<void> =>
    shop.call('askPaced', { from, count, everyMs } satisfies Paced);
  const asked = paced(survivor, warmUp, 2 * share);
  const interrupted = paced(victim, warmUp + 2 * share, 2 * share).then(
    () => Promise.reject(new Error('the replica had asked for everything when it was killed')),
    () => undefined,
  );
  await sleep(halfMs);
  await victim.kill();
  const killedAt = performance.now();
  await interrupted;
  const takenOver = paced(survivor, warmUp + 4 * share, share);
  const open = await unfinishedPhones(databaseUrl);
  const ofVictim = new Set(
    Array.from({ length: 2 * share }, (_, n) => phoneOf(warmUp + 2 * share + n + 1)),
  );
  const { recoveryMs, excluded } = await recovery(parts, { open, ofVictim, killedAt });
  await Promise.all([asked, takenOver]);
  await complete(parts, killedAt);
  return { recoveryMs, unfinished: open.length - excluded, excluded, rate };
}

/** The rate of whole payments when both replicas do as much as they can. It also warms them up. */
async function fullRate(shops: readonly SubjectProcess[], count: number): Promise<number> {
  const share = count / shops.length;
  const startedAt = process.hrtime.bigint();
  await Promise.all(
    shops.map((shop, index) =>
      shop.call('askMany', { from: index * share, count: share, concurrency: 25 } satisfies Many),
    ),
  );
  for (;;) {
    const all = await Promise.all(shops.map((shop) => shop.call<Completed>('progress')));
    const done = all.reduce((sum, { paid, transactions }) => sum + paid + transactions, 0);
    if (done >= 2 * count) break;
    await sleep(20);
  }
  return count / (Number(process.hrtime.bigint() - startedAt) / 1e9);
}

/** The payments at the moment of the kill, by phone. */
interface AtKill {
  open: readonly string[];
  ofVictim: ReadonlySet<string>;
  killedAt: number;
}

/** Waits until the open payments are paid. Those of the victim that the platform never accepted cannot be: they are excluded. */
async function recovery(
  { databaseUrl, platform }: Parts,
  { open, ofVictim, killedAt }: AtKill,
): Promise<{ recoveryMs: number; excluded: number }> {
  for (;;) {
    const unsent = new Set(await unsentPhones(databaseUrl, open));
    const accepted = new Set(await platform.call<string[]>('accepted'));
    const now = new Set(await unfinishedPhones(databaseUrl));
    const recoveryMs = performance.now() - killedAt;
    const still = open.filter((phone) => now.has(phone));
    const waiting = still.filter(
      (phone) => !ofVictim.has(phone) || unsent.has(phone) || accepted.has(phone),
    );
    if (waiting.length === 0) return { recoveryMs, excluded: still.length };
    if (recoveryMs > MOST_MS)
      throw new Error(
        `${waiting.length} payments were not completed ${Math.round(recoveryMs / 1000)} s after the kill`,
      );
    await sleep(100);
  }
}

/** Waits until everything that the platform ever accepted is paid, and compares it with the database. */
async function complete({ databaseUrl, platform }: Parts, killedAt: number): Promise<void> {
  for (;;) {
    const still = new Set(await unfinishedPhones(databaseUrl));
    const accepted = await platform.call<string[]>('accepted');
    if (!accepted.some((phone) => still.has(phone)))
      return requirePaid(databaseUrl, accepted.length);
    if (performance.now() - killedAt > 2 * MOST_MS)
      throw new Error('payments that were accepted after the kill were not completed');
    await sleep(100);
  }
}
