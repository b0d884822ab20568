import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding } from './benchmark.js';
import { deliveriesContender, DeliveriesSender, type DeliveriesLoad } from './deliveries.load.js';
import { alternate, type Contender, type Samples } from './rounds.js';
import { formatSpread } from './statistics.js';
import { ADAPTERS, PLATFORM_TITLES, type PlatformName } from './platforms.js';

const TARGET = { fastify: 0.55, express: 0.9 } as const;

/** The rate of answered deliveries with PostgreSQL: each is on disk before its answer. */
export const deliveriesInPostgres: Benchmark = {
  name: 'deliveries-in-postgres',
  title: 'Deliveries answered, durable in PostgreSQL',
  async run(bench) {
    const load = { warmUp: bench.size(6_400, 32), count: bench.size(9_600, 64) };
    const samples = await DeliveriesSender.with(bench, (sender) =>
      bench.withDatabase((url) =>
        alternate(
          ADAPTERS.flatMap((platform) => contenders(bench, sender, platform, url, load)),
          bench.rounds(5),
          (line) => bench.log(line),
        ),
      ),
    );
    return {
      findings: ADAPTERS.flatMap((platform) => findings(samples, platform)),
      charts: [
        {
          title: 'Deliveries answered, durable in PostgreSQL',
          unit: 'a second',
          bars: ADAPTERS.flatMap((platform) => [
            {
              label: `bare route, ${PLATFORM_TITLES[platform]}`,
              value: samples.spread(`bare ${platform}`, 'rate'),
              baseline: true,
            },
            {
              label: `durable, ${PLATFORM_TITLES[platform]}`,
              value: samples.spread(`durable ${platform}`, 'rate'),
            },
          ]),
        },
      ],
      samples,
      notes: [
        'Database, server and load share two cores. The process only stores and answers (`background: false`).',
      ],
    };
  },
};

function contenders(
  bench: BenchContext,
  sender: DeliveriesSender,
  platform: PlatformName,
  databaseUrl: string,
  load: DeliveriesLoad,
): Contender[] {
  const bare = { name: `bare ${platform}`, subject: 'bare-route', settings: { platform } };
  const durable = {
    name: `durable ${platform}`,
    subject: 'receiver',
    settings: { platform, databaseUrl, background: false },
  };
  return [
    deliveriesContender(bench, sender, bare, load),
    deliveriesContender(bench, sender, durable, load),
  ];
}

function findings(samples: Samples, platform: PlatformName): Finding[] {
  const [durable, bare] = [`durable ${platform}`, `bare ${platform}`];
  const rate = samples.ratio(durable, bare, 'rate');
  const p99 = samples.ratio(durable, bare, 'p99');
  const what = `delivery answered, ${PLATFORM_TITLES[platform]}`;
  const against = `bare Nest route that checks the HMAC, ${PLATFORM_TITLES[platform]}`;
  return [
    {
      what,
      against,
      reach: `≥ ${TARGET[platform]} of its rate`,
      measured: formatSpread(rate),
      reached: rate.median >= TARGET[platform],
    },
    {
      what: `${what}, p99`,
      against,
      reach: '≤ 3 × its p99',
      measured: formatSpread(p99, ' ×'),
      reached: p99.median <= 3,
    },
  ];
}
