import type { Benchmark, Finding } from './benchmark.js';
import { creates } from './creates.contender.js';
import { alternate, type Samples } from './rounds.js';
import { formatSpread } from './statistics.js';

/** Payments that are stored before they are sent, compared with the bare create. */
export const paymentRequests: Benchmark = {
  name: 'payment-requests',
  title: 'PaymentsService.request',
  async run(bench) {
    const load = { warmUp: bench.size(1_000, 10), count: bench.size(3_000, 50) };
    const samples = await bench.withDatabase((url) =>
      alternate(
        [
          creates(bench, 'bare create', 'bare', load),
          creates(bench, 'request in memory', 'request', load),
          creates(bench, 'request in PostgreSQL', 'request', load, url),
        ],
        bench.rounds(5),
        (line) => bench.log(line),
      ),
    );
    return {
      findings: [
        finding(samples, 'request in memory', 'PaymentsService.request, memory store', null),
        finding(samples, 'request in PostgreSQL', 'PaymentsService.request, PostgreSQL', 0.65),
      ],
      charts: [
        {
          title: 'Payment requests, 50 concurrent',
          unit: 'a second',
          bars: [
            { label: 'bare create', value: samples.spread('bare create', 'rate'), baseline: true },
            { label: 'request, memory store', value: samples.spread('request in memory', 'rate') },
            {
              label: 'request, PostgreSQL',
              value: samples.spread('request in PostgreSQL', 'rate'),
            },
          ],
        },
      ],
      samples,
    };
  },
};

function finding(samples: Samples, name: string, what: string, reach: number | null): Finding {
  const ratio = samples.ratio(name, 'bare create', 'rate');
  return {
    what,
    against: 'the bare create',
    reach: reach === null ? 'reported' : `≥ ${reach} of its rate`,
    measured: formatSpread(ratio),
    reached: reach === null ? null : ratio.median >= reach,
  };
}
