import type { Benchmark } from './benchmark.js';
import { creates } from './creates.contender.js';
import { alternate } from './rounds.js';
import { formatSpread } from './statistics.js';

/** The bare resource: a payment request that is validated and sent, but not stored. */
export const createsBenchmark: Benchmark = {
  name: 'creates',
  title: 'Creates of the bare resource',
  async run(bench) {
    const load = { warmUp: bench.size(2_000, 10), count: bench.size(5_000, 50) };
    const samples = await alternate(
      [
        creates(bench, 'axios alone', 'axios', load),
        creates(bench, 'tillkit', 'bare', load),
        creates(bench, 'k2-connect-node', 'k2-connect-node', load),
      ],
      bench.rounds(7),
      (line) => bench.log(line),
    );
    const alone = samples.ratio('tillkit', 'axios alone', 'rate');
    const peer = samples.ratio('tillkit', 'k2-connect-node', 'rate');
    const what = 'bare create, 50 concurrent';
    return {
      findings: [
        {
          what,
          against: 'axios alone, keep-alive, the same POST',
          reach: '≥ 0.90 of its rate',
          measured: formatSpread(alone),
          reached: alone.median >= 0.9,
        },
        {
          what,
          against: 'k2-connect-node',
          reach: '≥ 1.0 × its rate',
          measured: formatSpread(peer, ' ×'),
          reached: peer.median >= 1,
        },
      ],
      charts: [
        {
          title: 'Creates of the bare resource',
          unit: 'a second',
          bars: [
            { label: 'axios alone', value: samples.spread('axios alone', 'rate'), baseline: true },
            { label: 'IncomingPaymentsService.create', value: samples.spread('tillkit', 'rate') },
            {
              label: 'k2-connect-node',
              value: samples.spread('k2-connect-node', 'rate'),
              baseline: true,
            },
          ],
        },
      ],
      samples,
      notes: ['Platform and client are separate processes. Each contender asks for one token.'],
    };
  },
};
