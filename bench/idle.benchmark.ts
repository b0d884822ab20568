import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench.context.js';
import type { Benchmark } from './benchmark.js';
import type { PostgresServer } from './postgres.server.js';
import { number } from './statistics.js';
import type { SubjectProcess } from './subject.process.js';

/** The first sweep begins 30 s after the start, and the next 15 min later: it is no work of an idle minute. */
const SETTLED_AFTER_MS = 45_000;

const MINUTE_MS = 60_000;

/** Shares are in percent of one core. */
interface Idle {
  statementsAMinute: number;
  process: number;
  database: number;
}

/** What an application costs that has nothing to do. */
export const idle: Benchmark = {
  name: 'idle',
  title: 'An idle application',
  async run(bench) {
    const server = await bench.postgres();
    const aloneMs = bench.size(30_000, 1_000);
    const before = await server.cpuMs();
    await sleep(aloneMs);
    const alone = ((await server.cpuMs()) - before) / aloneMs;
    const samples = await bench.withDatabase((databaseUrl) =>
      bench.with('platform', { transactions: 0 }, async (platform) => {
        const baseUrl = await platform.call<string>('url');
        const settings = { platform: 'fastify', databaseUrl, baseUrl };
        return bench.with('merchant', settings, async (shop) => {
          await sleep(bench.size(SETTLED_AFTER_MS, 1_000));
          return bench.measured(shop, 'idle', () => measureIdle(bench, server, shop));
        });
      }),
    );
    const { statementsAMinute, process, database } = samples;
    const what = 'an idle application on PostgreSQL, one minute';
    const share = (title: string, against: string, percent: number) => ({
      what: `${what}: CPU of ${title}`,
      against,
      reach: '≤ 0.1 % of one core',
      measured: `${number(percent)} %`,
      reached: percent <= 0.1,
    });
    return {
      findings: [
        {
          what: `${what}: statements`,
          against: 'nothing: a count',
          reach: '≤ 30',
          measured: number(statementsAMinute),
          reached: statementsAMinute <= 30,
        },
        share('the process', 'nothing', process),
        share(
          'the database',
          `the server without the application: ${number(alone * 100)} %`,
          database,
        ),
      ],
      charts: [],
      samples: { ...samples, databaseAlone: alone * 100 },
      notes: [
        'One account with two listeners, on Fastify. The minute begins after the first sweep, which is 30 s after the start; the ' +
          'next one is 15 minutes later.',
      ],
    };
  },
};

async function measureIdle(
  bench: BenchContext,
  server: PostgresServer,
  shop: SubjectProcess,
): Promise<Idle> {
  const before = await readings(server, shop);
  await sleep(bench.size(MINUTE_MS, 1_000));
  const after = await readings(server, shop);
  const ms = after.at - before.at;
  return {
    statementsAMinute: ((after.statements - before.statements) * MINUTE_MS) / ms,
    process: ((after.processMs - before.processMs) / ms) * 100,
    database: ((after.databaseMs - before.databaseMs) / ms) * 100,
  };
}

/** Without the position of the log: the connection that reads it would be the larger part of what an idle database does. */
async function readings(server: PostgresServer, shop: SubjectProcess) {
  const { user, system } = await shop.call<NodeJS.CpuUsage>('cpu');
  return {
    at: performance.now(),
    statements: await shop.call<number>('statements'),
    processMs: (user + system) / 1000,
    databaseMs: await server.cpuMs(),
  };
}
