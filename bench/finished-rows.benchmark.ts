import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding } from './benchmark.js';
import { DeliveriesSender } from './deliveries.load.js';
import { fillFinished, sharesOf } from './finished-rows.fixture.js';
import { alternate, type Contender } from './rounds.js';
import { formatSpread } from './statistics.js';

const METRICS = { rate: 'ingest', claims: 'claim and acknowledge' } as const;

/** Finished rows must not slow new work down. */
export const finishedRows: Benchmark = {
  name: 'finished-rows',
  title: 'PostgreSQL with many finished rows',
  async run(bench) {
    const rows = bench.args.rows ?? bench.size(10_000_000, 2_000);
    const [full, empty] = [`${rows.toLocaleString('en-GB')} finished rows`, 'empty'];
    const samples = await bench.withDatabase((emptyUrl) =>
      bench.withDatabase(async (fullUrl) => {
        await fillFinished(fullUrl, rows, (line) => bench.log(line));
        return DeliveriesSender.with(bench, (sender) =>
          alternate(
            [contender(bench, sender, empty, emptyUrl), contender(bench, sender, full, fullUrl)],
            bench.rounds(5),
            (line) => bench.log(line),
          ),
        );
      }),
    );
    const metrics = Object.keys(METRICS) as (keyof typeof METRICS)[];
    return {
      findings: metrics.map((metric): Finding => {
        const ratio = samples.ratio(full, empty, metric);
        return {
          what: `PostgreSQL with ${full}: ${METRICS[metric]}`,
          against: 'the same server, an empty database',
          reach: '≥ 0.9 of its rate',
          measured: formatSpread(ratio),
          reached: ratio.median >= 0.9,
        };
      }),
      charts: [
        {
          title: 'PostgreSQL with many finished rows',
          unit: 'deliveries a second',
          bars: metrics.flatMap((metric) =>
            [empty, full].map((name) => ({
              label: `${METRICS[metric]}, ${name}`,
              value: samples.spread(name, metric),
              baseline: name === empty,
            })),
          ),
        },
      ],
      samples,
      notes: [
        `The rows: ${sharesOf(rows)}, with all their indexes. Ingest: deliveries answered on Fastify. Claim: batches of 20, each ` +
          'acknowledged.',
      ],
    };
  },
};

/** Receives deliveries, then claims and acknowledges all of them, so the queue is empty after each round. */
function contender(
  bench: BenchContext,
  sender: DeliveriesSender,
  name: string,
  databaseUrl: string,
): Contender {
  const warmUp = bench.size(3_200, 32);
  const count = bench.size(8_000, 64);
  const settings = { platform: 'fastify', databaseUrl, background: false };
  return {
    name,
    open: async () => {
      const claimer = await bench.start('claimer', { databaseUrl });
      const opened = await bench.open('receiver', settings, async (receiver) => {
        await sender.send(receiver, warmUp);
        await claimer.call('claimAll', warmUp);
        return async (round) => {
          const ingest = await sender.send(receiver, count, (send) =>
            bench.measured(receiver, `ingest-${name}-${round}`, send),
          );
          const claims = await bench.measured(claimer, `claim-${name}-${round}`, () =>
            claimer.call<number>('claimAll', count),
          );
          return { ...ingest, claims };
        };
      });
      return {
        measure: opened.measure,
        close: async () => {
          await opened.close();
          await bench.stop(claimer);
        },
      };
    },
  };
}
