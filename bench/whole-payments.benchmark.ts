import type { Benchmark, Finding } from './benchmark.js';
import type { BenchContext } from './bench.context.js';
import { CONCURRENCY, merchant, type PaymentsLoad } from './merchants.contender.js';
import { alternate, type Contender, type Samples } from './rounds.js';
import { formatSpread } from './statistics.js';

const TILLKIT = 'Tillkit';
const BY_HAND = 'by hand';
const DURABLE = 'by hand, durable';

const PEER = 'hand-written: k2-connect-node on Express and pg';
const DURABLE_PEER =
  'hand-written, durable: deliveries stored before 200, deduplication, an outbox';

const COSTS = {
  statements: { title: 'statements', unit: '' },
  processMs: { title: 'CPU of the process', unit: ' ms' },
  databaseMs: { title: 'CPU of the database', unit: ' ms' },
  walKb: { title: 'WAL', unit: ' kB' },
} as const;

type Cost = keyof typeof COSTS;

/** Payments from `request()` to the paid order, with callback and webhook in any order. */
export const wholePayments: Benchmark = {
  name: 'whole-payments',
  title: 'Whole payments, from the request to the paid order',
  async run(bench) {
    const full = { warmUp: bench.size(1_000, 10), count: bench.size(2_000, 20), everyMs: null };
    const samples = await alternate(contenders(bench, full), bench.rounds(5), (line) =>
      bench.log(line),
    );
    const what = `payment, ${CONCURRENCY} at a time`;
    const rate = samples.ratio(TILLKIT, BY_HAND, 'rate');
    const durableRate = samples.ratio(TILLKIT, DURABLE, 'rate');
    return {
      findings: [
        {
          what: `${what}: rate`,
          against: PEER,
          reach: '≥ 0.8 of its rate',
          measured: formatSpread(rate),
          reached: rate.median >= 0.8,
        },
        {
          what: `${what}: rate`,
          against: DURABLE_PEER,
          reach: '≥ 1.6 × its rate',
          measured: formatSpread(durableRate, ' ×'),
          reached: durableRate.median >= 1.6,
        },
        ...costs(samples, what, { statements: 3, walKb: 7 }),
        ...shares(samples, what),
        ...latencies(samples, what),
      ],
      charts: [
        {
          title: `Whole payments, ${CONCURRENCY} at a time`,
          unit: 'a second',
          bars: [BY_HAND, DURABLE, TILLKIT].map((label) => ({
            label,
            value: samples.spread(label, 'rate'),
            baseline: label !== TILLKIT,
          })),
        },
      ],
      samples,
      notes: [NOTE],
    };
  },
};

/** Measures whole payments at three a second, where nothing is gathered into batches. */
export const pacedPayments: Benchmark = {
  name: 'paced-payments',
  title: 'Whole payments, three a second',
  async run(bench) {
    const load = { warmUp: bench.size(500, 5), count: bench.size(60, 3), everyMs: 333 };
    const samples = await alternate(contenders(bench, load), bench.rounds(3), (line) =>
      bench.log(line),
    );
    const what = 'payment, three a second';
    return {
      findings: [
        ...costs(samples, what, { statements: 10, processMs: 5, databaseMs: 4, walKb: 14 }),
        ...latencies(samples, what),
      ],
      charts: [],
      samples,
      notes: ['The same payments, at a rate at which nothing is gathered into groups.'],
    };
  },
};

const NOTE =
  'The host inserts its order and calls `request()`; result and webhook come 0 to 5 ms after the 201, in any order; the listeners update ' +
  "the order and insert the transaction. Process, platform and PostgreSQL share two cores. CPU and WAL include the host's own rows and the " +
  "load; statements do not include the host's.";

function contenders(bench: BenchContext, load: PaymentsLoad): Contender[] {
  return [
    merchant(bench, BY_HAND, 'by-hand', { durable: false }, load),
    merchant(bench, DURABLE, 'by-hand', { durable: true }, load),
    merchant(bench, TILLKIT, 'merchant', { platform: 'fastify' }, load),
  ];
}

/** Returns the costs of a payment that have a limit. */
function costs(samples: Samples, what: string, limits: Partial<Record<Cost, number>>): Finding[] {
  return (Object.entries(limits) as [Cost, number][]).map(([cost, limit]) => {
    const { title, unit } = COSTS[cost];
    const spread = samples.spread(TILLKIT, cost);
    return {
      what: `${what}: ${title}`,
      against: `hand-written: ${formatSpread(samples.spread(BY_HAND, cost), unit)}; durable ${formatSpread(samples.spread(DURABLE, cost), unit)}`,
      reach: `≤ ${limit}${unit}`,
      measured: formatSpread(spread, unit),
      reached: spread.median <= limit,
    };
  });
}

/** Returns the cost of each payment as a multiple of its cost by hand. Both come from the same round, so the load of the machine cancels out. */
function shares(samples: Samples, what: string): Finding[] {
  const line = (cost: Cost, most: number): Finding => {
    const { title, unit } = COSTS[cost];
    const ratio = samples.ratio(TILLKIT, BY_HAND, cost);
    return {
      what: `${what}: ${title}`,
      against: `hand-written: ${formatSpread(samples.spread(BY_HAND, cost), unit)}; durable ${formatSpread(samples.spread(DURABLE, cost), unit)}`,
      reach: `≤ ${most} × its`,
      measured: `${formatSpread(ratio, ' ×')}; ${formatSpread(samples.spread(TILLKIT, cost), unit)}`,
      reached: ratio.median <= most,
    };
  };
  return [line('processMs', 1.4), line('databaseMs', 1.6)];
}

function latencies(samples: Samples, what: string): Finding[] {
  return (['p50', 'p99'] as const).map((metric) => {
    const ratio = samples.ratio(TILLKIT, BY_HAND, metric);
    return {
      what: `${what}: request to paid order, ${metric}`,
      against: 'hand-written',
      reach: `≤ 1.5 × its ${metric}`,
      measured: `${formatSpread(ratio, ' ×')}; ${formatSpread(samples.spread(TILLKIT, metric), ' ms')}`,
      reached: ratio.median <= 1.5,
    };
  });
}
