import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench.context.js';
import type { Benchmark } from './benchmark.js';
import { number } from './statistics.js';
import type { SubjectProcess } from './subject.process.js';
import type { OpenResources } from './subjects/accounts.subject.js';

const MINUTE_MS = 60_000;

/** Each account sweeps within a minute of its first use, and then every quarter of an hour. */
const SWEPT_AFTER_MS = 75_000;

/** An application costs this while its accounts have nothing to do. */
interface Idle extends OpenResources {
  statementsAMinute: number;
  processPercent: number;
}

/** Many accounts may cost an idle application little more than one does. */
export const accounts: Benchmark = {
  name: 'accounts',
  title: 'A thousand accounts in one process',
  async run(bench) {
    const count = bench.size(1_000, 5);
    const samples = await bench.withDatabase((databaseUrl) =>
      bench.with('platform', {}, async (platform) => {
        const baseUrl = await platform.call<string>('url');
        return bench.with('accounts', { databaseUrl, baseUrl }, async (shops) => {
          await shops.call<number>('open', { from: 0, count: 1 });
          await sleep(bench.size(SWEPT_AFTER_MS, 100));
          const one = await measureIdle(bench, shops);
          const before = await shops.call<number>('statements');
          const openMs = await shops.call<number>('open', { from: 1, count });
          const opening = ((await shops.call<number>('statements')) - before) / count;
          await sleep(bench.size(SWEPT_AFTER_MS, 100));
          const swept = ((await shops.call<number>('statements')) - before) / count - opening;
          const many = await measureIdle(bench, shops);
          return { count, one, many, openMs, opening, swept };
        });
      }),
    );
    const { one, many, openMs } = samples;
    const what = `${number(count)} idle accounts`;
    const more = (name: keyof Idle): number => many[name] - one[name];
    const kilobytes = more('heapBytes') / count / 1024;
    return {
      findings: [
        {
          what: `${what}: heap for each`,
          against: 'one account in the same process',
          reach: '≤ 20 kB',
          measured: `${number(kilobytes)} kB`,
          reached: kilobytes <= 20,
        },
        {
          what: `${what}: timers, connections to the platform, connections to the database`,
          against: `one account: ${one.timers}, ${one.sockets}, ${one.databaseConnections}`,
          reach: 'not one for each account',
          measured: `${many.timers}, ${many.sockets}, ${many.databaseConnections}`,
          reached:
            Math.max(more('timers'), more('sockets'), more('databaseConnections')) < count / 10,
        },
        {
          what: `${what}: statements in a minute without a sweep`,
          against: `one account: ${number(one.statementsAMinute)}`,
          reach: 'those of one account',
          measured: number(many.statementsAMinute),
          reached: many.statementsAMinute <= 2 * one.statementsAMinute + 5,
        },
        {
          what: `${what}: CPU of the process`,
          against: `one account: ${number(one.processPercent)} %`,
          reach: '≤ 0.5 % of one core',
          measured: `${number(many.processPercent)} %`,
          reached: many.processPercent <= 0.5,
        },
        {
          what: `${number(count)} accounts loaded at once`,
          against: '—',
          reach: '≤ 5 ms for each',
          measured: `${number(openMs / count)} ms`,
          reached: openMs / count <= 5,
        },
      ],
      charts: [],
      samples,
      notes: [
        `On Fastify, with two listeners. Loading an account took ${number(samples.opening)} statements, its first sweep ${number(samples.swept)}; ` +
          'later sweeps follow every 15 minutes. Memory is the heap in use after a garbage collection.',
      ],
    };
  },
};

async function measureIdle(bench: BenchContext, shops: SubjectProcess): Promise<Idle> {
  const before = await readings(shops);
  await sleep(bench.size(MINUTE_MS, 100));
  const after = await readings(shops);
  const ms = after.at - before.at;
  return {
    ...(await shops.call<OpenResources>('resources')),
    statementsAMinute: ((after.statements - before.statements) * MINUTE_MS) / ms,
    processPercent: ((after.processMs - before.processMs) / ms) * 100,
  };
}

async function readings(shops: SubjectProcess) {
  const { user, system } = await shops.call<NodeJS.CpuUsage>('cpu');
  return {
    at: performance.now(),
    statements: await shops.call<number>('statements'),
    processMs: (user + system) / 1_000,
  };
}
