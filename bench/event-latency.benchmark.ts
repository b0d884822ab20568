import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding } from './benchmark.js';
import { alternate, type Contender, type Measurement } from './rounds.js';
import { quantile, formatSpread } from './statistics.js';
import type { Pacing, SentAt } from './subjects/load.subject.js';

const STORES = { memory: 'memory store', postgres: 'PostgreSQL' } as const;
type StoreName = keyof typeof STORES;

/** Measures the time from the first byte of a delivery to the call of its listener. */
export const eventLatency: Benchmark = {
  name: 'event-latency',
  title: 'From delivery to listener',
  async run(bench) {
    const samples = await bench.withDatabase((url) =>
      alternate(
        [contender(bench, 'memory', null), contender(bench, 'postgres', url)],
        bench.rounds(2),
        (line) => bench.log(line),
      ),
    );
    const stores = Object.keys(STORES) as StoreName[];
    const findings = stores.flatMap((store): Finding[] => {
      const idle50 = samples.spread(store, 'idleP50');
      const idle99 = samples.spread(store, 'idleP99');
      const half99 = samples.spread(store, 'halfP99');
      return [
        {
          what: `event from delivery to listener, idle, ${STORES[store]}`,
          against: '—',
          reach: 'p50 ≤ 5 ms, p99 ≤ 15 ms',
          measured: `p50 ${formatSpread(idle50, ' ms')}, p99 ${formatSpread(idle99, ' ms')}`,
          reached: idle50.median <= 5 && idle99.median <= 15,
        },
        {
          what: `the same at half of its highest rate`,
          against: '—',
          reach: store === 'postgres' ? 'p99 ≤ 40 ms' : 'reported',
          measured:
            `p50 ${formatSpread(samples.spread(store, 'halfP50'), ' ms')}, ` +
            `p99 ${formatSpread(half99, ' ms')}, at ${formatSpread(samples.spread(store, 'halfRate'))} a second`,
          reached: store === 'postgres' ? half99.median <= 40 : null,
        },
      ];
    });
    return {
      findings,
      charts: [
        {
          title: 'From delivery to listener',
          unit: 'ms',
          bars: stores.flatMap((store) =>
            (['idleP50', 'idleP99', 'halfP50', 'halfP99'] as const).map((metric) => ({
              label: `${STORES[store]}, ${metric.startsWith('idle') ? 'idle' : 'half load'}, ${metric.slice(4).toLowerCase()}`,
              value: samples.spread(store, metric),
            })),
          ),
        },
      ],
      samples,
      notes: [
        'From before the sender writes the delivery to the first line of the listener. Idle: one delivery every 10 ms. ' +
          'Half load: half of the maximum rate of the same process, at constant intervals (open loop).',
      ],
    };
  },
};

function contender(bench: BenchContext, store: StoreName, databaseUrl: string | null): Contender {
  const settings = { platform: 'fastify', databaseUrl, background: true };
  return {
    name: store,
    open: async () => {
      const load = await bench.start('load', {});
      const opened = await bench.open('receiver', settings, async (receiver) => {
        const url = await receiver.call<string>('url');
        let sent = 0;
        const latencies = async (pacing: Omit<Pacing, 'url' | 'prefix'>): Promise<Float64Array> => {
          await receiver.call('clear');
          const prefix = `L${sent}N`;
          const sentAt = await load.call<SentAt>('sendPaced', { url, prefix, ...pacing });
          sent += pacing.count;
          await receiver.call('until', sent);
          return between(sentAt, await receiver.call<Map<string, bigint>>('receivedAt'));
        };
        const maxRate = async (count: number): Promise<number> => {
          await load.call('prepare', { count, prefix: `L${sent}N` });
          const startedAt = performance.now();
          await load.call('send', { url, connections: 32 });
          sent += count;
          await receiver.call('until', sent);
          return count / ((performance.now() - startedAt) / 1000);
        };
        await maxRate(bench.size(3_200, 32));
        return async (): Promise<Measurement> => {
          const rate = await maxRate(bench.size(4_800, 64));
          // Let garbage collection and the database finish the work of the batch before the idle measurement.
          await sleep(bench.size(1_000, 50));
          const idle = await latencies({ count: bench.size(500, 5), everyMs: 10, waits: true });
          const halfRate = rate / 2;
          const half = await latencies({
            count: Math.ceil(halfRate * bench.size(4, 0.1)),
            everyMs: 1000 / halfRate,
            waits: false,
          });
          return {
            idleP50: quantile(idle, 0.5),
            idleP99: quantile(idle, 0.99),
            halfP50: quantile(half, 0.5),
            halfP99: quantile(half, 0.99),
            halfRate,
          };
        };
      });
      return {
        measure: opened.measure,
        close: async () => {
          await opened.close();
          await bench.stop(load);
        },
      };
    },
  };
}

/**
 * Returns the latencies from sending to the listener in milliseconds, sorted.
 * @throws Error for a delivery that did not reach the listener
 */
function between(sentAt: SentAt, receivedAt: Map<string, bigint>): Float64Array {
  const latencies = Float64Array.from(sentAt, ([reference, at]) => {
    const received = receivedAt.get(reference);
    if (received === undefined) throw new Error(`no listener received ${reference}`);
    return Number(received - at) / 1e6;
  });
  return latencies.sort();
}
