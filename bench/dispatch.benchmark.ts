import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding } from './benchmark.js';
import { fillCalls, waitingCalls } from './due-rows.fixture.js';
import { withMachineLoad } from './machine.load.js';
import { alternate, type Contender, type Measurement } from './rounds.js';
import { number, formatSpread } from './statistics.js';
import type { SubjectProcess } from './subject.process.js';
import type { ReceivedByReplica } from './subjects/dispatcher.subject.js';

const REPLICAS = [1, 2, 4];

/** Dispatch of events that wait in PostgreSQL, by one, two and four replicas. */
export const dispatch: Benchmark = {
  name: 'dispatch',
  title: 'Dispatch by several replicas',
  async run(bench) {
    const events = bench.size(12_000, 400);
    const replicas = bench.args.smoke ? REPLICAS.slice(0, 2) : REPLICAS;
    const samples = await alternate(
      replicas.map((count) => contender(bench, count, events)),
      bench.rounds(3),
      (line) => bench.log(line),
    );
    const findings = replicas.slice(1).map((count): Finding => {
      const ratio = samples.ratio(nameOf(count), nameOf(1), 'rate');
      const busy = samples.spread(nameOf(count), 'busyShare').median * 100;
      const own = samples.spread(nameOf(count), 'replicaCores');
      return {
        what: `dispatch of ${events} events, ${count} replicas`,
        against: 'one replica',
        reach: '≥ 1 × its rate',
        measured:
          `${formatSpread(ratio, ' ×')}; ${number(busy)} % of the machine busy, ` +
          `${number(own.median)} cores of it in the replicas`,
        reached: ratio.median >= 1,
      };
    });
    return {
      findings,
      charts: [
        {
          title: 'Listener calls completed',
          unit: 'a second',
          bars: replicas.map((count) => ({
            label: nameOf(count),
            value: samples.spread(nameOf(count), 'rate'),
            baseline: count === 1,
          })),
        },
      ],
      samples,
      notes: [
        'The listener does nothing, so all time is the dispatch itself; every event belongs to another payment. Replicas ' +
          'and PostgreSQL share the cores of one machine: further replicas can only use what one replica leaves idle. PostgreSQL uses the busy time that is not in the replicas.',
      ],
    };
  },
};

function nameOf(replicas: number): string {
  return replicas === 1 ? 'one replica' : `${replicas} replicas`;
}

/** Replicas run only during their own turn, because idle replicas poll for work too. */
function contender(bench: BenchContext, replicas: number, events: number): Contender {
  const measure = (round: number): Promise<Measurement> =>
    bench.withDatabase(async (databaseUrl) => {
      const subjects = await Promise.all(
        Array.from({ length: replicas }, () => bench.start('dispatcher', { databaseUrl })),
      );
      try {
        await measureCalls(subjects, databaseUrl, Math.ceil(events / 4), 'W');
        return await bench.measured(
          subjects[0] as SubjectProcess,
          `${nameOf(replicas)}-${round}`,
          () => measureCalls(subjects, databaseUrl, events, 'M'),
        );
      } finally {
        await Promise.all(subjects.map((subject) => bench.stop(subject)));
      }
    });
  return { name: nameOf(replicas), open: async () => ({ measure, close: async () => undefined }) };
}

/** Measures from the first to the last listener call in any replica. */
async function measureCalls(
  subjects: readonly SubjectProcess[],
  databaseUrl: string,
  events: number,
  prefix: string,
): Promise<Measurement> {
  for (const subject of subjects) await subject.call('begin');
  const { busyShare } = await withMachineLoad(async () => {
    await fillCalls(databaseUrl, events, prefix);
    while ((await waitingCalls(databaseUrl)) > 0) await sleep(100);
  });
  const received = await Promise.all(
    subjects.map((subject) => subject.call<ReceivedByReplica>('received')),
  );
  const count = received.reduce((sum, one) => sum + one.count, 0);
  // Delivery is at least once: more calls than events are correct.
  if (count < events) throw new Error(`only ${count} listener calls for ${events} events`);
  const active = received.filter((one) => one.count > 0);
  const firstAt = active
    .map((one) => one.firstAt)
    .reduce((one, other) => (one < other ? one : other));
  const lastAt = active
    .map((one) => one.lastAt)
    .reduce((one, other) => (one > other ? one : other));
  const seconds = Number(lastAt - firstAt) / 1e9;
  const cpuMs = received.reduce((sum, one) => sum + one.cpuMs, 0);
  return { rate: events / seconds, busyShare, replicaCores: cpuMs / 1000 / seconds };
}
