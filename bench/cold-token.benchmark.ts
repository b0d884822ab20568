import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding } from './benchmark.js';
import { alternate, type Contender, type Measurement } from './rounds.js';
import { formatSpread } from './statistics.js';
import type { PlatformCounts } from './subjects/platform.subject.js';

/** Latency of the platform's token endpoint, in milliseconds. */
const TOKEN_MS = 200;

const CALLS = {
  slowestToken: 'TokensService.get',
  slowestCreate: 'IncomingPaymentsService.create',
};

type Call = keyof typeof CALLS;

/** Many concurrent calls, none of which has a token yet. */
export const coldToken: Benchmark = {
  name: 'cold-token',
  title: 'Concurrent calls on a cold token',
  async run(bench) {
    const count = bench.size(10_000, 500);
    const samples = await alternate(
      (Object.keys(CALLS) as Call[]).map((call) => contender(bench, call, count)),
      bench.rounds(3),
      (line) => bench.log(line),
    );
    const findings = (Object.keys(CALLS) as Call[]).map((call): Finding => {
      const share = samples.ratio(call, call, 'coldMs', 'allowedMs');
      return {
        what: `${count} concurrent ${CALLS[call]} on a cold token: 1 token request (asserted), slowest call`,
        against: 'the token request plus twice the slowest call on a warm token',
        reach: '≤ 1 × of that',
        measured: `${formatSpread(share, ' ×')}; ${formatSpread(samples.spread(call, 'coldMs'), ' ms')}`,
        reached: share.median <= 1,
      };
    });
    return {
      findings,
      charts: [
        {
          title: `Slowest of ${count} concurrent calls`,
          unit: 'ms',
          bars: (Object.keys(CALLS) as Call[]).flatMap((call) => [
            {
              label: `${CALLS[call]}, warm`,
              value: samples.spread(call, 'warmMs'),
              baseline: true,
            },
            { label: `${CALLS[call]}, cold`, value: samples.spread(call, 'coldMs') },
          ]),
        },
      ],
      samples,
      notes: [
        `The platform answers a token request after ${TOKEN_MS} ms. Creates share 50 connections.`,
      ],
    };
  },
};

function contender(bench: BenchContext, call: Call, count: number): Contender {
  return {
    name: call,
    open: async () => ({
      measure: () => measure(bench, call, count),
      close: async () => undefined,
    }),
  };
}

/** Each round needs new processes, because a token is cold only once. */
async function measure(bench: BenchContext, call: Call, count: number): Promise<Measurement> {
  return bench.with('platform', { tokenMs: TOKEN_MS }, async (platform) => {
    const baseUrl = await platform.call<string>('url');
    const settings = { client: 'bare', baseUrl, databaseUrl: null };
    const coldMs = await bench.with('client', settings, (client) =>
      client.call<number>(call, count),
    );
    const { tokens } = await platform.call<PlatformCounts>('counts');
    if (tokens !== 1) throw new Error(`${count} calls made ${tokens} token requests`);
    const [tokenMs, warmMs] = await bench.with('client', settings, async (client) => [
      await client.call<number>('slowestToken', 1),
      await client.call<number>(call, count),
    ]);
    return { coldMs, warmMs, tokenMs, allowedMs: tokenMs + 2 * warmMs };
  });
}
