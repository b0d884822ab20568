import type { BenchContext } from './bench.context.js';
import type { Benchmark, Chart, Finding, Outcome } from './benchmark.js';
import { DeliveriesSender } from './deliveries.load.js';
import type { SubjectProcess } from './subject.process.js';
import { number, spreadOf, formatSpread, type Spread } from './statistics.js';

/** Number of deliveries between two checkpoints. */
const BATCH = 10_240;

/** Processing a delivery takes many times as long as answering it, so that run has fewer deliveries. */
const PROCESSED_DIVISOR = 50;

interface Checkpoint {
  rate: number;
  rssMb: number;
  heapMb: number;
}

interface Endurance {
  name: string;
  deliveries: number;
  checkpoints: Checkpoint[];
}

/** Memory and rate of one process over a million deliveries. */
export const endurance: Benchmark = {
  name: 'endurance',
  title: 'Many deliveries through one process',
  async run(bench) {
    const deliveries = bench.args.deliveries ?? bench.size(1_000_000, 2_000);
    const batch = bench.size(BATCH, 512);
    const runs = await DeliveriesSender.with(bench, async (sender) => [
      await endure(bench, sender, 'answered', deliveries, batch, false),
      await endure(
        bench,
        sender,
        'answered and processed',
        deliveries / PROCESSED_DIVISOR,
        batch / 4,
        true,
      ),
    ]);
    return outcomeOf(runs);
  },
};

async function endure(
  bench: BenchContext,
  sender: DeliveriesSender,
  name: string,
  count: number,
  batch: number,
  background: boolean,
): Promise<Endurance> {
  return bench.withDatabase((databaseUrl) =>
    bench.with(
      'receiver',
      { platform: 'fastify', databaseUrl, background },
      async (receiver) => {
        const checkpoints: Checkpoint[] = [];
        // At least two checkpoints, to compare the first with the last.
        const batches = Math.max(2, Math.ceil(count / batch));
        for (let n = 1; n <= batches; n += 1) {
          checkpoints.push(
            await sendBatch(bench, sender, receiver, { batch, sent: n * batch, background }),
          );
          if (n % 10 === 0)
            bench.log(
              `${name}: ${n * batch} deliveries, ${describe(checkpoints.at(-1) as Checkpoint)}`,
            );
        }
        return { name, deliveries: batches * batch, checkpoints };
      },
      { execArgv: ['--expose-gc'] },
    ),
  );
}

async function sendBatch(
  bench: BenchContext,
  sender: DeliveriesSender,
  receiver: SubjectProcess,
  { batch, sent, background }: { batch: number; sent: number; background: boolean },
): Promise<Checkpoint> {
  let seconds = 0;
  const { rate = 0 } = await sender.send(receiver, batch, async (send) => {
    const startedAt = performance.now();
    const result = await bench.measured(receiver, `endurance-${sent}`, send);
    if (background) await receiver.call('until', sent);
    seconds = (performance.now() - startedAt) / 1000;
    return result;
  });
  // The references in this benchmark's listener must not count as memory of the library.
  await receiver.call('clear');
  const { rss, heapUsed } = await receiver.call<NodeJS.MemoryUsage>('memory');
  return {
    rate: background ? batch / seconds : rate,
    rssMb: rss / 2 ** 20,
    heapMb: heapUsed / 2 ** 20,
  };
}

function outcomeOf(runs: readonly Endurance[]): Outcome {
  return {
    findings: runs.flatMap(findings),
    charts: [
      chart(runs, 'Deliveries through one process', 'a second', 'rate'),
      chart(runs, 'Resident memory of that process', 'MB', 'rssMb'),
    ],
    samples: runs,
    notes: [
      'Fastify and PostgreSQL: a memory store grows with its content by design. "Answered": the process only stores and ' +
        'answers. "Answered and processed": it also processes the deliveries and calls its listener; the rate counts these ' +
        'calls. Memory is resident memory after a garbage collection.',
    ],
  };
}

function findings({ name, deliveries, checkpoints }: Endurance): Finding[] {
  const [first, last] = parts(checkpoints);
  const median = (part: readonly Checkpoint[], metric: keyof Checkpoint): number =>
    spreadOf(part.map((checkpoint) => checkpoint[metric])).median;
  const memory = median(last, 'rssMb') / median(first, 'rssMb');
  const rate = median(last, 'rate') / median(first, 'rate');
  const against = `its first ${number(deliveries / 10)}`;
  const what = `${number(deliveries)} deliveries through one process, ${name}`;
  return [
    {
      what: `${what}: resident memory of the last tenth`,
      against,
      reach: '≤ 1.1 ×',
      measured: `${number(memory)} ×; ${formatSpread(spreadOf(last.map(({ rssMb }) => rssMb)), ' MB')}`,
      reached: memory <= 1.1,
    },
    {
      what: `${what}: rate of the last tenth`,
      against,
      reach: '≥ 0.9 ×',
      measured: `${number(rate)} ×; ${formatSpread(spreadOf(last.map((checkpoint) => checkpoint.rate)))} a second`,
      reached: rate >= 0.9,
    },
  ];
}

/** The first and the last tenth, each at least one batch. */
function parts(checkpoints: readonly Checkpoint[]): [Checkpoint[], Checkpoint[]] {
  const size = Math.max(1, Math.round(checkpoints.length / 10));
  return [checkpoints.slice(0, size), checkpoints.slice(-size)];
}

function chart(
  runs: readonly Endurance[],
  title: string,
  unit: string,
  metric: keyof Checkpoint,
): Chart {
  const bars = runs.flatMap(({ name, checkpoints }) => {
    const [first, last] = parts(checkpoints).map((part): Spread =>
      spreadOf(part.map((checkpoint) => checkpoint[metric])),
    ) as [Spread, Spread];
    return [
      { label: `${name}, first tenth`, value: first, baseline: true },
      { label: `${name}, last tenth`, value: last },
    ];
  });
  return { title, unit, bars };
}

function describe({ rate, rssMb, heapMb }: Checkpoint): string {
  return `${number(rate)} a second, ${number(rssMb)} MB resident, ${number(heapMb)} MB heap`;
}
