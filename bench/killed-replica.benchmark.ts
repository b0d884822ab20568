import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench.context.js';
import type { Benchmark } from './benchmark.js';
import { alternate, type Contender, type Measurement } from './rounds.js';
import { requirePaid, unfinishedOrders } from './shops.database.js';
import { formatSpread, number } from './statistics.js';
import type { SubjectProcess } from './subject.process.js';
import {
  phoneOf,
  type Completed,
  type Many,
  type OrderRequest,
  type Paced,
} from './subjects/orders.js';

/** The default of `listeners.leaseMs`, and the lease of a delivery. */
const LEASE_MS = 30_000;
const REACH_MS = LEASE_MS + 5_000;

/** How long the work of the killed replica may take before the run fails. */
const MOST_MS = 3 * REACH_MS;

/** In each round the kill comes this much later after the burst, so that it meets work in other stages. */
const KILL_AFTER_MS = 100;

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
        `A replica gets 20 payments at once, so that it has unfinished work, and is killed ${KILL_AFTER_MS} ms later in the first round, ` +
          `${2 * KILL_AFTER_MS} ms later in the second, and so on. The load goes on: the other replica takes over the share of the killed ` +
          'one. The host asks again, with the same key, for every order of the killed replica that is not paid. Excluded are orders ' +
          'that the platform never accepted: their create was cut off, its outcome is unknown, and Tillkit never repeats such a create.',
      ],
    };
  },
};

function contender(bench: BenchContext): Contender {
  const measure = (round: number): Promise<Measurement> =>
    bench.withDatabase((databaseUrl) =>
      bench.with('paying-platform', { withinMs: 5 }, async (platform) => {
        const settings = {
          platform: 'fastify',
          databaseUrl,
          baseUrl: await platform.call<string>('url'),
        };
        return bench.withMany('merchant', settings, 2, ([survivor, victim]) =>
          killUnderLoad(bench, { databaseUrl, platform, survivor, victim } as Parts, round),
        );
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

async function killUnderLoad(
  bench: BenchContext,
  parts: Parts,
  round: number,
): Promise<Measurement> {
  const { databaseUrl, platform, survivor, victim } = parts;
  const urls = [survivor, victim].map((shop) => shop.call<string>('url'));
  await platform.call('deliverTo', await Promise.all(urls));
  const warmUp = bench.size(600, 40);
  const rate = (await fullRate([survivor, victim], warmUp)) / 3;

  // Each replica asks for half of the payments. At a third of the rate a replica often has nothing in hand, so a burst comes before
  // the kill. The payments of the survivor, of the victim, of its burst, and those that are taken over have their own numbers.
  const halfMs = bench.size(5_000, 1_000);
  const everyMs = 2_000 / rate;
  const share = Math.ceil(halfMs / everyMs);
  const paced = (shop: SubjectProcess, from: number, count: number): Promise<void> =>
    shop.call('askPaced', { from, count, everyMs } satisfies Paced);
  const burst = bench.size(20, 0);
  const ofVictim = { from: warmUp + 2 * share, count: 2 * share + burst };
  const asked = paced(survivor, warmUp, 2 * share);
  const interrupted = paced(victim, ofVictim.from, 2 * share).then(
    () => Promise.reject(new Error('the replica had asked for everything when it was killed')),
    () => undefined,
  );
  await sleep(halfMs);
  const many: Many = { from: ofVictim.from + 2 * share, count: burst, concurrency: burst };
  const cutOff = victim.call('askMany', many).catch(() => undefined);
  await sleep(KILL_AFTER_MS * round);
  await victim.kill();
  const killedAt = performance.now();
  await Promise.all([interrupted, cutOff]);
  const takenOver = paced(survivor, ofVictim.from + ofVictim.count, share);
  const open = await unfinishedOrders(databaseUrl);
  const phones = Array.from({ length: ofVictim.count }, (_, n) => phoneOf(ofVictim.from + n + 1));
  const isOfVictim = ({ phoneNumber }: OrderRequest): boolean => phones.includes(phoneNumber);
  await survivor.call('askAgain', open.filter(isOfVictim));
  const { recoveryMs, excluded } = await recovery(parts, { open, isOfVictim, killedAt });
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

/** The payments at the moment of the kill. */
interface AtKill {
  open: readonly OrderRequest[];
  isOfVictim: (order: OrderRequest) => boolean;
  killedAt: number;
}

/** Waits until the open payments are paid. Those of the victim that the platform never accepted cannot be: they are excluded. */
async function recovery(
  { databaseUrl, platform }: Parts,
  { open, isOfVictim, killedAt }: AtKill,
): Promise<{ recoveryMs: number; excluded: number }> {
  for (;;) {
    const accepted = new Set(await platform.call<string[]>('accepted'));
    const now = new Set((await unfinishedOrders(databaseUrl)).map(({ id }) => id));
    const recoveryMs = performance.now() - killedAt;
    const still = open.filter(({ id }) => now.has(id));
    const waiting = still.filter((order) => !isOfVictim(order) || accepted.has(order.phoneNumber));
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
    const still = new Set((await unfinishedOrders(databaseUrl)).map((order) => order.phoneNumber));
    const accepted = await platform.call<string[]>('accepted');
    if (!accepted.some((phone) => still.has(phone)))
      return requirePaid(databaseUrl, accepted.length);
    if (performance.now() - killedAt > 2 * MOST_MS)
      throw new Error('payments that were accepted after the kill were not completed');
    await sleep(100);
  }
}
