import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench.context.js';
import type { Benchmark } from './benchmark.js';
import { fillPending } from './due-rows.fixture.js';
import { alternate, type Contender, type Measurement } from './rounds.js';
import type { SubjectProcess } from './subject.process.js';
import { formatSpread } from './statistics.js';
import type { PlatformCounts } from './subjects/platform.subject.js';
import type { ReconcilerCounts } from './subjects/reconciler.subject.js';

/** The setting of the account; its default is 5. */
const REQUESTS_PER_SECOND = 50;

/** The cost of a status read must not depend on the number of pending payments. */
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
    const idle = samples.ratio(notDue, nameOf(few, 3_600), 'queriesPerPoll');
    const memory = samples.ratio(due, nameOf(few, 0), 'rssMb');
    const rate = samples.spread(due, 'readsPerSecond');
    return {
      findings: [
        {
          what: `queries per status read, ${many} payments due at once`,
          against: `the same with ${few}`,
          reach: 'constant (1 ×, ± 10 %)',
          measured: `${formatSpread(queries, ' ×')}; ${formatSpread(samples.spread(due, 'queriesPerRead'))} queries`,
          reached: Math.abs(queries.median - 1) <= 0.1,
        },
        {
          what: `queries per poll, ${many} payments pending and none due`,
          against: `the same with ${few}`,
          reach: 'constant (1 ×)',
          measured: `${formatSpread(idle, ' ×')}; ${formatSpread(samples.spread(notDue, 'queriesPerPoll'))} queries`,
          reached: Math.abs(idle.median - 1) <= 0.1,
        },
        {
          what: `resident memory, ${many} payments due at once`,
          against: `the same with ${few}`,
          reach: 'flat (≤ 1.1 ×)',
          measured: formatSpread(memory, ' ×'),
          reached: memory.median <= 1.1,
        },
        {
          what: 'calls of the platform',
          against: `the configured rate, ${REQUESTS_PER_SECOND} a second`,
          reach: '≤ 1 ×',
          measured: `${formatSpread(rate)} a second`,
          // The first call of the window needs no delay before it.
          reached: rate.high <= REQUESTS_PER_SECOND * 1.02 + 1,
        },
      ],
      charts: [
        {
          title: 'One poll for due payments',
          unit: 'ms',
          bars: cases.map(({ pending, dueInSeconds }) => ({
            label: nameOf(pending, dueInSeconds),
            value: samples.spread(nameOf(pending, dueInSeconds), 'pollMs'),
            baseline: pending === few,
          })),
        },
      ],
      samples,
      notes: [
        'All payments are due at the same time, which is the worst case. The platform reports each as pending.',
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
          const start = await snapshot(reconciler, platform);
          await sleep(bench.size(1_000, 500));
          let before = await snapshot(reconciler, platform);
          while (dueInSeconds === 0 && before.reads === start.reads) {
            await sleep(100);
            before = await snapshot(reconciler, platform);
          }
          await bench.measured(reconciler, `${name}-${round}`, () =>
            sleep(bench.size(5_000, 1_000)),
          );
          return between(before, await snapshot(reconciler, platform), dueInSeconds === 0);
        },
        { execArgv: ['--expose-gc'] },
      );
    });
  return { name, open: async () => ({ measure, close: async () => undefined }) };
}

type Snapshot = ReconcilerCounts & PlatformCounts & { at: number };

async function snapshot(reconciler: SubjectProcess, platform: SubjectProcess): Promise<Snapshot> {
  return {
    at: performance.now(),
    ...(await reconciler.call<ReconcilerCounts>('counts')),
    ...(await platform.call<PlatformCounts>('counts')),
  };
}

function between(before: Snapshot, after: Snapshot, due: boolean): Measurement {
  const reads = after.reads - before.reads;
  const polls = after.polls - before.polls;
  const queries = after.queries - before.queries;
  if (!due && reads > 0) throw new Error(`${reads} payments were read before they were due`);
  return {
    readsPerSecond: reads / ((after.at - before.at) / 1000),
    queriesPerRead: queries / Math.max(1, reads),
    queriesPerPoll: queries / Math.max(1, polls),
    pollMs: (after.pollMs - before.pollMs) / Math.max(1, polls),
    rssMb: after.rssMb,
  };
}
