import type { Benchmark, Finding } from './benchmark.js';
import { roundTripMs, withDelay } from './database.route.js';
import { CONCURRENCY, merchant } from './merchants.contender.js';
import { alternate, type Samples } from './rounds.js';
import { formatSpread, number } from './statistics.js';

/** Of each direction, in milliseconds. */
const DELAY_MS = 1;

const DIRECT = 'direct';
const UNDELAYED = 'through the proxy';
const DELAYED = 'through the proxy, delayed';

/** Whole payments when the database is 2 ms away. */
export const network: Benchmark = {
  name: 'network',
  title: 'Whole payments, the database 2 ms away',
  async run(bench) {
    const load = { warmUp: bench.size(800, 50), count: bench.size(1_500, 100), everyMs: null };
    const shop = (name: string, route?: (databaseUrl: string) => string) =>
      merchant(bench, name, 'merchant', { platform: 'fastify' }, load, route);
    const { url } = await bench.postgres();
    const trip = { direct: await roundTripMs(url), undelayed: 0, delayed: 0 };
    const samples = await withDelay(bench, 0, (near) =>
      withDelay(bench, DELAY_MS, async (far) => {
        trip.undelayed = await roundTripMs(near(url));
        trip.delayed = await roundTripMs(far(url));
        bench.log(`round trip: ${JSON.stringify(trip)} ms`);
        return alternate(
          [shop(DIRECT), shop(UNDELAYED, near), shop(DELAYED, far)],
          bench.rounds(5),
          (line) => bench.log(line),
        );
      }),
    );
    const added = `${number(trip.delayed - trip.undelayed)} ms`;
    return {
      findings: [
        finding(samples, `the same proxy without the delay`, UNDELAYED, added, 0.8),
        finding(samples, 'no proxy', DIRECT, added, null),
      ],
      charts: [
        {
          title: `Whole payments, ${CONCURRENCY} at a time, the database 2 ms away`,
          unit: 'a second',
          bars: [DIRECT, UNDELAYED, DELAYED].map((label) => ({
            label,
            value: samples.spread(label, 'rate'),
            baseline: label !== DELAYED,
          })),
        },
      ],
      samples: { trip, samples },
      notes: [
        'A proxy between the merchant and PostgreSQL holds what it receives for 1 ms, in each direction, and does not limit how much ' +
          `passes. It added ${added} to the round trip of \`select 1\` (median). The proxy uses the same cores, so the merchant without ` +
          "the delay goes through a proxy too. The host's own statements go the same way.",
      ],
    };
  },
};

function finding(
  samples: Samples,
  against: string,
  baseline: string,
  added: string,
  reach: number | null,
): Finding {
  const ratio = samples.ratio(DELAYED, baseline, 'rate');
  return {
    what: `whole payments, ${CONCURRENCY} at a time, ${added} of network added to the database: rate`,
    against,
    reach: reach === null ? 'reported' : `≥ ${reach} of its rate`,
    measured: formatSpread(ratio),
    reached: reach === null ? null : ratio.median >= reach,
  };
}
