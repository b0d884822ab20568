import type { BenchContext } from './bench.context.js';
import type { Benchmark, Chart, Finding, Outcome } from './benchmark.js';
import { DeliveriesSender } from './deliveries.load.js';
import type { SubjectProcess } from './subject.process.js';
import { number, spreadOf, wordsOf, type Spread } from './statistics.js';

/** Deliveries between two looks at the process. */
const VOLLEY = 10_240;

/** Processing a delivery lasts many times as long as answering it. */
const WORKING_SHARE = 50;

interface Look {
  rate: number;
  rssMb: number;
  heapMb: number;
}

interface Endurance {
  name: string;
  deliveries: number;
  looks: Look[];
}

/** A process that receives deliveries all day does not grow, and does not slow down. */
export const endurance: Benchmark = {
  name: 'endurance',
  title: 'Many deliveries through one process',
  async run(bench) {
    const deliveries = bench.given.deliveries ?? bench.size(1_000_000, 2_000);
    const volley = bench.size(VOLLEY, 512);
    const runs = await DeliveriesSender.with(bench, async (sender) => [
      await endure(bench, sender, 'answered', deliveries, volley, false),
      await endure(
        bench,
        sender,
        'answered and processed',
        deliveries / WORKING_SHARE,
        volley / 4,
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
  most: number,
  volley: number,
  background: boolean,
): Promise<Endurance> {
  return bench.withDatabase((databaseUrl) =>
    bench.with(
      'receiver',
      { platform: 'fastify', databaseUrl, background },
      async (receiver) => {
        const looks: Look[] = [];
        // Two parts at least, for the first to be compared with the last.
        const volleys = Math.max(2, Math.ceil(most / volley));
        for (let n = 1; n <= volleys; n += 1) {
          looks.push(
            await volleyOf(bench, sender, receiver, { volley, sent: n * volley, background }),
          );
          if (n % 10 === 0)
            bench.log(`${name}: ${n * volley} deliveries, ${describe(looks.at(-1) as Look)}`);
        }
        return { name, deliveries: volleys * volley, looks };
      },
      { execArgv: ['--expose-gc'] },
    ),
  );
}

async function volleyOf(
  bench: BenchContext,
  sender: DeliveriesSender,
  receiver: SubjectProcess,
  { volley, sent, background }: { volley: number; sent: number; background: boolean },
): Promise<Look> {
  let seconds = 0;
  const { rate = 0 } = await sender.fire(receiver, volley, async (send) => {
    const startedAt = performance.now();
    const result = await bench.measured(receiver, `endurance-${sent}`, send);
    if (background) await receiver.call('until', sent);
    seconds = (performance.now() - startedAt) / 1000;
    return result;
  });
  // What the listener of this benchmark remembers is not the library's.
  await receiver.call('clear');
  const { rss, heapUsed } = await receiver.call<NodeJS.MemoryUsage>('memory');
  return {
    rate: background ? volley / seconds : rate,
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
      'Fastify and PostgreSQL: a store in memory grows by what it keeps, which is what it is for. "Answered" is a process ' +
        'that stores and answers; "answered and processed" is one that also processes what it stored and calls its listener, and ' +
        'counts these calls. Memory is what is resident after a garbage collection.',
    ],
  };
}

function findings({ name, deliveries, looks }: Endurance): Finding[] {
  const [first, last] = parts(looks);
  const median = (part: readonly Look[], metric: keyof Look): number =>
    spreadOf(part.map((look) => look[metric])).median;
  const memory = median(last, 'rssMb') / median(first, 'rssMb');
  const rate = median(last, 'rate') / median(first, 'rate');
  const against = `its first ${number(deliveries / 10)}`;
  const what = `${number(deliveries)} deliveries through one process, ${name}`;
  return [
    {
      what: `${what}: resident memory of the last tenth`,
      against,
      reach: '≤ 1.1 ×',
      measured: `${number(memory)} ×; ${wordsOf(spreadOf(last.map(({ rssMb }) => rssMb)), ' MB')}`,
      reached: memory <= 1.1,
    },
    {
      what: `${what}: rate of the last tenth`,
      against,
      reach: '≥ 0.9 ×',
      measured: `${number(rate)} ×; ${wordsOf(spreadOf(last.map((look) => look.rate)))} a second`,
      reached: rate >= 0.9,
    },
  ];
}

/** The first tenth and the last, a volley at least. */
function parts(looks: readonly Look[]): [Look[], Look[]] {
  const size = Math.max(1, Math.round(looks.length / 10));
  return [looks.slice(0, size), looks.slice(-size)];
}

function chart(runs: readonly Endurance[], title: string, unit: string, metric: keyof Look): Chart {
  const bars = runs.flatMap(({ name, looks }) => {
    const [first, last] = parts(looks).map((part): Spread =>
      spreadOf(part.map((look) => look[metric])),
    ) as [Spread, Spread];
    return [
      { label: `${name}, first tenth`, value: first, baseline: true },
      { label: `${name}, last tenth`, value: last },
    ];
  });
  return { title, unit, bars };
}

function describe({ rate, rssMb, heapMb }: Look): string {
  return `${number(rate)} a second, ${number(rssMb)} MB resident, ${number(heapMb)} MB heap`;
}
