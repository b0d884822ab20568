import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench.context.js';
import type { Benchmark } from './benchmark.js';
import { fillPending } from './database.filling.js';
import { alternate, type Contender, type Measurement } from './rounds.js';
import type { SubjectProcess } from './subject.process.js';
import { wordsOf } from './statistics.js';
import type { PlatformCounts } from './subjects/platform.subject.js';
import type { ReconcilerCounts } from './subjects/reconciler.subject.js';

/** Set for the account; the default is 5. */
const REQUESTS_PER_SECOND = 50;

/** Payments without an outcome, few and many: what asking for them costs must not depend on how many there are. */
export const reconciliation: Benchmark = {
  name: 'reconciliation',
  title: 'Pending payments under reconciliation',
  async run(bench) {
    const many = bench.size(100_000, 2_000);
    const few = bench.size(1_000, 200);
    const cases = [few, many].flatMap((pending) => [
      { pending, dueInSeconds: 0 },
      { pending, dueInSeconds: 3_600 },
    ]);
    const samples = await bench.with('platform', {}, (platform) =>
      alternate(
        cases.map((one) => contender(bench, platform, one)),
        bench.rounds(2),
        (line) => bench.log(line),
      ),
    );
    const [due, notDue] = [nameOf(many, 0), nameOf(many, 3_600)];
    const queries = samples.ratio(due, nameOf(few, 0), 'queriesPerRead');
    const idle = samples.ratio(notDue, nameOf(few, 3_600), 'queriesPerLook');
    const memory = samples.ratio(due, nameOf(few, 0), 'rssMb');
    const rate = samples.spread(due, 'readsPerSecond');
    return {
      findings: [
        {
          what: `queries for each payment read, ${many} due at once`,
          against: `the same with ${few}`,
          reach: 'constant (1 ×, ± 10 %)',
          measured: `${wordsOf(queries, ' ×')}; ${wordsOf(samples.spread(due, 'queriesPerRead'))} queries`,
          reached: Math.abs(queries.median - 1) <= 0.1,
        },
        {
          what: `queries for each look, ${many} pending and none due`,
          against: `the same with ${few}`,
          reach: 'constant (1 ×)',
          measured: `${wordsOf(idle, ' ×')}; ${wordsOf(samples.spread(notDue, 'queriesPerLook'))} queries`,
          reached: Math.abs(idle.median - 1) <= 0.1,
        },
        {
          what: `resident memory, ${many} due at once`,
          against: `the same with ${few}`,
          reach: 'flat (≤ 1.1 ×)',
          measured: wordsOf(memory, ' ×'),
          reached: memory.median <= 1.1,
        },
        {
          what: 'calls of the platform',
          against: `the set rate, ${REQUESTS_PER_SECOND} a second`,
          reach: 'within it',
          measured: `${wordsOf(rate)} a second`,
          // The first one needs no pause before it.
          reached: rate.high <= REQUESTS_PER_SECOND * 1.02 + 1,
        },
      ],
      charts: [
        {
          title: 'One look for payments that are due',
          unit: 'ms',
          bars: cases.map(({ pending, dueInSeconds }) => ({
            label: nameOf(pending, dueInSeconds),
            value: samples.spread(nameOf(pending, dueInSeconds), 'lookMs'),
            baseline: pending === few,
          })),
        },
      ],
      samples,
      notes: [
        'Every payment is due at the same moment, which is the worst that can be; the platform says of each that it is pending.',
      ],
    };
  },
};

function nameOf(pending: number, dueInSeconds: number): string {
  return `${pending} pending, ${dueInSeconds === 0 ? 'all due' : 'none due'}`;
}

interface Case {
  pending: number;
  dueInSeconds: number;
}

function contender(
  bench: BenchContext,
  platform: SubjectProcess,
  { pending, dueInSeconds }: Case,
): Contender {
  const name = nameOf(pending, dueInSeconds);
  const measure = (round: number): Promise<Measurement> =>
    bench.withDatabase(async (databaseUrl) => {
      await fillPending(databaseUrl, pending, dueInSeconds);
      const baseUrl = await platform.call<string>('url');
      const settings = { databaseUrl, baseUrl, requestsPerSecond: REQUESTS_PER_SECOND };
      return bench.with(
        'reconciler',
        settings,
        async (reconciler) => {
          const start = await look(reconciler, platform);
          await sleep(bench.size(1_000, 500));
          let before = await look(reconciler, platform);
          while (dueInSeconds === 0 && before.reads === start.reads) {
            await sleep(100);
            before = await look(reconciler, platform);
          }
          await bench.measured(reconciler, `${name}-${round}`, () =>
            sleep(bench.size(5_000, 1_000)),
          );
          return between(before, await look(reconciler, platform), dueInSeconds === 0);
        },
        { execArgv: ['--expose-gc'] },
      );
    });
  return { name, open: async () => ({ measure, close: async () => undefined }) };
}

type Look = ReconcilerCounts & PlatformCounts & { at: number };

async function look(reconciler: SubjectProcess, platform: SubjectProcess): Promise<Look> {
  return {
    at: performance.now(),
    ...(await reconciler.call<ReconcilerCounts>('counts')),
    ...(await platform.call<PlatformCounts>('counts')),
  };
}

function between(before: Look, after: Look, due: boolean): Measurement {
  const reads = after.reads - before.reads;
  const looks = after.looks - before.looks;
  const queries = after.queries - before.queries;
  if (!due && reads > 0) throw new Error(`${reads} payments were asked for before their time`);
  return {
    readsPerSecond: reads / ((after.at - before.at) / 1000),
    queriesPerRead: queries / Math.max(1, reads),
    queriesPerLook: queries / Math.max(1, looks),
    lookMs: (after.lookMs - before.lookMs) / Math.max(1, looks),
    rssMb: after.rssMb,
  };
}
