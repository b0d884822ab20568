import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding } from './benchmark.js';
import { deliveriesContender, DeliveriesSender, type DeliveriesLoad } from './deliveries.load.js';
import { alternate, type Contender, type Samples } from './rounds.js';
import { formatSpread } from './statistics.js';
import type { SubjectProcess } from './subject.process.js';
import { ADAPTERS, PLATFORM_TITLES, type PlatformName } from './platforms.js';

/** The rate of answered deliveries with a memory store: the cost of verification and bookkeeping. */
export const deliveriesInMemory: Benchmark = {
  name: 'deliveries-in-memory',
  title: 'Deliveries answered, store in memory',
  async run(bench) {
    const load = { warmUp: bench.size(6_400, 320), count: bench.size(12_800, 640) };
    const samples = await DeliveriesSender.with(bench, (sender) =>
      alternate(
        [
          ...ADAPTERS.flatMap((platform) => contenders(bench, sender, platform, load)),
          peer(bench, sender, load),
        ],
        bench.rounds(5),
        (line) => bench.log(line),
      ),
    );
    return {
      findings: [
        ...ADAPTERS.flatMap((platform) => findings(samples, platform)),
        ...againstPeer(samples),
      ],
      charts: [chart(samples)],
      samples,
      notes: [
        'Every delivery is different, signed, and 1.2 kB long; 32 connections. "Answered": the process only stores and ' +
          'answers (`background: false`). "Answered while it works": the same process also processes the deliveries and calls ' +
          'a listener, on the same core.',
      ],
    };
  },
};

function contenders(
  bench: BenchContext,
  sender: DeliveriesSender,
  platform: PlatformName,
  load: DeliveriesLoad,
): Contender[] {
  const memory = { platform, databaseUrl: null };
  const bare = { name: `bare ${platform}`, subject: 'bare-route', settings: { platform } };
  const answering = {
    name: `tillkit ${platform}`,
    subject: 'receiver',
    settings: { ...memory, background: false },
  };
  const working = {
    name: `working ${platform}`,
    subject: 'receiver',
    settings: { ...memory, background: true },
  };
  // Half as many deliveries: each takes this contender longer.
  const fewer = { ...load, count: load.count / 2 };
  return [
    deliveriesContender(bench, sender, bare, load),
    deliveriesContender(bench, sender, answering, load),
    deliveriesContender(bench, sender, working, fewer, allReceived),
  ];
}

async function allReceived(server: SubjectProcess, sent: number): Promise<void> {
  await server.call('until', sent);
}

function peer(bench: BenchContext, sender: DeliveriesSender, load: DeliveriesLoad): Contender {
  const server = { name: 'k2-connect-node', subject: 'peer-handler', settings: {} };
  return deliveriesContender(bench, sender, server, load, async (server, sent) => {
    const received = await server.call<number>('received');
    if (received !== sent) throw new Error(`the peer received ${received} of ${sent} deliveries`);
  });
}

function findings(samples: Samples, platform: PlatformName): Finding[] {
  const ratio = samples.ratio(`tillkit ${platform}`, `bare ${platform}`, 'rate');
  const working = samples.ratio(`working ${platform}`, `bare ${platform}`, 'rate');
  const against = `bare Nest route that checks the HMAC, ${PLATFORM_TITLES[platform]}`;
  return [
    {
      what: `verified delivery answered, memory store, ${PLATFORM_TITLES[platform]}`,
      against,
      reach: '≥ 0.90 of its rate',
      measured: formatSpread(ratio),
      reached: ratio.median >= 0.9,
    },
    {
      what: `the same, while the same process also calls its listener`,
      against,
      reach: 'reported',
      measured: formatSpread(working),
      reached: null,
    },
  ];
}

function againstPeer(samples: Samples): Finding[] {
  const ratio = samples.ratio('tillkit fastify', 'k2-connect-node', 'rate');
  return [
    {
      what: 'verified delivery answered, memory store, Fastify',
      against: 'webhook handler of k2-connect-node on Express, which stores nothing',
      reach: '≥ 2 × its rate',
      measured: formatSpread(ratio, ' ×'),
      reached: ratio.median >= 2,
    },
  ];
}

function chart(samples: Samples) {
  const names = ADAPTERS.flatMap((platform) => [
    { name: `bare ${platform}`, label: `bare route, ${PLATFORM_TITLES[platform]}`, baseline: true },
    { name: `tillkit ${platform}`, label: `answered, ${PLATFORM_TITLES[platform]}` },
    { name: `working ${platform}`, label: `answered while it works, ${PLATFORM_TITLES[platform]}` },
  ]);
  return {
    title: 'Deliveries answered, store in memory',
    unit: 'a second',
    bars: [
      ...names,
      { name: 'k2-connect-node', label: 'k2-connect-node, Express', baseline: true },
    ].map(({ name, ...bar }) => ({ ...bar, value: samples.spread(name, 'rate') })),
  };
}
