import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding } from './benchmark.js';
import { CpuQuota } from './cpu.quota.js';
import { withMachineLoad } from './machine.load.js';
import { alternate, type Contender, type Measurement, type Samples } from './rounds.js';
import { requirePaid } from './shops.database.js';
import { formatSpread, number } from './statistics.js';
import type { SubjectProcess } from './subject.process.js';
import type { Completed, Many } from './subjects/orders.js';
import { costOf } from './work.cost.js';

const REPLICAS = [1, 2, 4];

/** Payments that each replica is asked for at the same time. */
const CONCURRENCY = 24;

/** Each replica gets this share of a core: four of them, the database, the load and the platform fit into two cores. */
const SHARE = 0.2;

/** Two replicas must do this many times the work of one; four as well, because the machine has only two cores for all of them. */
const LEAST = 1.8;

/** The run fails when the payments of one turn take longer. */
const MOST_MS = 5 * 60_000;

interface ReplicasLoad {
  /** Payments that each replica asks for before the measurement, so that each is equally warm. */
  warmUpOfEach: number;
  /** Measured payments of each replica. */
  countOfEach: number;
}

/** Whole payments by one, two and four replicas on one database, each with the same share of a core. */
export const replicas: Benchmark = {
  name: 'replicas',
  title: 'Whole payments by several replicas',
  async run(bench) {
    const load = { warmUpOfEach: bench.size(500, 4), countOfEach: bench.size(400, 8) };
    const counts = bench.args.smoke ? REPLICAS.slice(0, 2) : REPLICAS;
    const samples = await bench.with('paying-platform', { withinMs: 5 }, (platform) =>
      alternate(
        counts.map((count) => contender(bench, platform, count, load)),
        bench.rounds(3),
        (line) => bench.log(line),
      ),
    );
    return {
      findings: counts.slice(1).map((count) => finding(samples, count)),
      charts: [
        {
          title: `Whole payments by several replicas, ${CONCURRENCY} at a time by each`,
          unit: 'a second',
          bars: counts.map((count) => ({
            label: nameOf(count),
            value: samples.spread(nameOf(count), 'rate'),
            baseline: count === 1,
          })),
        },
      ],
      samples,
      notes: [
        `The platform posts each delivery to the next replica. Each replica has ${SHARE * 100} % of a core; database, load and platform have the rest.`,
      ],
    };
  },
};

function nameOf(count: number): string {
  return count === 1 ? 'one replica' : `${count} replicas`;
}

function finding(samples: Samples, count: number): Finding {
  const ratio = samples.ratio(nameOf(count), nameOf(1), 'rate');
  const use = (name: string): string => {
    const median = (metric: string): string => number(samples.spread(name, metric).median);
    return `${median('busyPercent')} % of the machine busy, ${median('replicaCores')} cores in the replicas, ${median('databaseCores')} in the database`;
  };
  return {
    what: `payments by ${nameOf(count)}, each with ${samples.spread(nameOf(1), 'corePercent').median} % of a core: rate`,
    against: `one replica: ${use(nameOf(1))}`,
    reach: `≥ ${LEAST} × its rate`,
    measured: `${formatSpread(ratio, ' ×')}; ${use(nameOf(count))}`,
    reached: ratio.median >= LEAST,
  };
}

/** Replicas run only during their own turn, because idle replicas poll for work too. */
function contender(
  bench: BenchContext,
  platform: SubjectProcess,
  count: number,
  load: ReplicasLoad,
): Contender {
  const measure = (round: number): Promise<Measurement> =>
    bench.withDatabase(async (databaseUrl) => {
      const settings = {
        platform: 'fastify',
        databaseUrl,
        baseUrl: await platform.call<string>('url'),
      };
      return bench.withMany('merchant', settings, count, async (shops) => {
        const urls = shops.map((shop) => shop.call<string>('url'));
        await platform.call('deliverTo', await Promise.all(urls));
        const warmUp = load.warmUpOfEach * count;
        const total = load.countOfEach * count;
        await pay(shops, 0, warmUp);
        const measured = await bench.measured(
          shops[0] as SubjectProcess,
          `${nameOf(count)}-${round}`,
          () => withQuotas(shops, () => measurePayments(bench, shops, warmUp, total)),
        );
        await requirePaid(databaseUrl, warmUp + total);
        return measured;
      });
    });
  return { name: nameOf(count), open: async () => ({ measure, close: async () => undefined }) };
}

/** Each replica may use a whole core if the machine lets us make no control group. */
async function withQuotas(
  shops: readonly SubjectProcess[],
  work: () => Promise<Measurement>,
): Promise<Measurement> {
  const quotas = await Promise.all(shops.map(({ pid }) => CpuQuota.limit(pid, SHARE)));
  try {
    return { ...(await work()), corePercent: (quotas.includes(null) ? 1 : SHARE) * 100 };
  } finally {
    for (const quota of quotas) await quota?.lift();
  }
}

async function measurePayments(
  bench: BenchContext,
  shops: readonly SubjectProcess[],
  from: number,
  count: number,
): Promise<Measurement> {
  const { result, busyShare } = await withMachineLoad(() =>
    costOf(bench, shops, count, async () => ({ rate: await pay(shops, from, count) })),
  );
  const { rate, processMs, databaseMs } = result;
  return {
    ...result,
    busyPercent: busyShare * 100,
    replicaCores: (processMs * rate) / 1000,
    databaseCores: (databaseMs * rate) / 1000,
  };
}

/** All replicas ask for payments together. Resolves with the number of whole payments a second, up to the last one in any replica. */
async function pay(shops: readonly SubjectProcess[], from: number, count: number): Promise<number> {
  const share = count / shops.length;
  await Promise.all(shops.map((shop) => shop.call('clear')));
  const startedAt = process.hrtime.bigint();
  await Promise.all(
    shops.map((shop, index) => {
      const many: Many = {
        from: from + index * share,
        count: share,
        concurrency: CONCURRENCY,
      };
      return shop.call('askMany', many);
    }),
  );
  const lastAt = await completed(shops, count);
  return count / (Number(lastAt - startedAt) / 1e9);
}

/** Resolves with the time of the last of so many payments. */
async function completed(shops: readonly SubjectProcess[], count: number): Promise<bigint> {
  const until = performance.now() + MOST_MS;
  for (;;) {
    const all = await Promise.all(shops.map((shop) => shop.call<Completed>('progress')));
    const paid = all.reduce((sum, one) => sum + one.paid, 0);
    const transactions = all.reduce((sum, one) => sum + one.transactions, 0);
    if (paid >= count && transactions >= count)
      return all.map(({ lastAt }) => lastAt).reduce((one, other) => (one > other ? one : other));
    if (performance.now() > until)
      throw new Error(`${paid} of ${count} orders were paid, ${transactions} transactions stored`);
    await sleep(20);
  }
}
