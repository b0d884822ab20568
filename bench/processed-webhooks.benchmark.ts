import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding } from './benchmark.js';
import { DeliveriesSender } from './deliveries.load.js';
import {
  alternate,
  type Contender,
  type Measurement,
  type OpenContender,
  type Samples,
} from './rounds.js';
import { formatSpread } from './statistics.js';
import type { SubjectProcess } from './subject.process.js';
import { costOf } from './work.cost.js';

/** Deliveries that Tillkit processes at the same time, and so the jobs of the peer. */
const CONCURRENCY = 50;

const ANSWERED = 'answered only';
const PROCESSED = 'processed';
const JOBS = 'graphile-worker';

const PEER =
  'graphile-worker: the route checks the HMAC and adds a job, which inserts the transaction; ' +
  `jobs in batches of ${CONCURRENCY}`;

/** Acknowledgements after the last call belong to the cost. */
const ACKNOWLEDGED_AFTER_MS = 500;

/** Webhooks that are stored and processed by the same process, under full load. */
export const processedWebhooks: Benchmark = {
  name: 'processed-webhooks',
  title: 'Webhooks processed, durable in PostgreSQL',
  async run(bench) {
    const load = { warmUp: bench.size(3_200, 32), count: bench.size(6_400, 64) };
    const samples = await DeliveriesSender.with(bench, (sender) =>
      alternate(
        [
          contender(bench, sender, receiver(ANSWERED, false), load),
          contender(bench, sender, receiver(PROCESSED, true), load),
          contender(
            bench,
            sender,
            { name: JOBS, subject: 'job-queue', settings: { concurrency: CONCURRENCY } },
            load,
          ),
        ],
        bench.rounds(5),
        (line) => bench.log(line),
      ),
    );
    return {
      findings: findings(samples),
      charts: [
        {
          title: 'Webhooks processed, durable in PostgreSQL',
          unit: 'a second',
          bars: [
            { label: 'only answered', value: samples.spread(ANSWERED, 'answered'), baseline: true },
            {
              label: 'jobs of graphile-worker',
              value: samples.spread(JOBS, 'rate'),
              baseline: true,
            },
            { label: 'answered while it processes', value: samples.spread(PROCESSED, 'answered') },
            { label: 'processed', value: samples.spread(PROCESSED, 'rate') },
          ],
        },
      ],
      samples,
      notes: [
        'One process on Fastify receives over 32 connections and works at the same time. The rate counts from the first delivery to the ' +
          'last listener call, or the last job. Load, process and database share two cores.',
      ],
    };
  },
};

function receiver(name: string, background: boolean) {
  return { name, subject: 'receiver', settings: { platform: 'fastify', background } };
}

function contender(
  bench: BenchContext,
  sender: DeliveriesSender,
  { name, subject, settings }: { name: string; subject: string; settings: object },
  { warmUp, count }: { warmUp: number; count: number },
): Contender {
  const open = async (): Promise<OpenContender> => {
    const database = await (await bench.postgres()).createDatabase();
    const given = { ...settings, databaseUrl: database.url };
    const opened = await bench.open(subject, given, async (server) => {
      const batch = { sender, server, works: name !== ANSWERED };
      await processBatch({ ...batch, count: warmUp, total: warmUp });
      return (round) =>
        bench.measured(server, `${name}-${round}`, () =>
          costOf(bench, [server], count, () =>
            processBatch({ ...batch, count, total: warmUp + round * count }),
          ),
        );
    });
    return {
      measure: opened.measure,
      close: async () => {
        await opened.close();
        await database.drop();
      },
    };
  };
  return { name, open };
}

interface WebhooksBatch {
  sender: DeliveriesSender;
  server: SubjectProcess;
  /** True when the server processes what it stores. */
  works: boolean;
  count: number;
  /** Number of webhooks since the start, with this batch. */
  total: number;
}

async function processBatch({
  sender,
  server,
  works,
  count,
  total,
}: WebhooksBatch): Promise<Measurement> {
  let seconds = 0;
  const { rate: answered } = await sender.send(server, count, async (send) => {
    const startedAt = performance.now();
    const result = await send();
    if (works) await server.call('until', total);
    seconds = (performance.now() - startedAt) / 1000;
    return result;
  });
  await sleep(ACKNOWLEDGED_AFTER_MS);
  return { rate: count / seconds, answered: answered as number };
}

function findings(samples: Samples): Finding[] {
  const what = 'webhook processed';
  const answered = samples.ratio(PROCESSED, ANSWERED, 'rate', 'answered');
  const jobs = samples.ratio(PROCESSED, JOBS, 'rate');
  const meanwhile = samples.ratio(PROCESSED, ANSWERED, 'answered');
  const statements = samples.spread(PROCESSED, 'statements');
  return [
    {
      what: `${what}: rate`,
      against: 'only stored and answered',
      reach: '≥ 0.4 of its rate',
      measured: formatSpread(answered),
      reached: answered.median >= 0.4,
    },
    {
      what: `${what}: rate`,
      against: PEER,
      reach: '≥ 3 × its rate',
      measured: formatSpread(jobs, ' ×'),
      reached: jobs.median >= 3,
    },
    {
      what: `${what}: statements`,
      against: `graphile-worker: ${formatSpread(samples.spread(JOBS, 'statements'))}`,
      reach: '≤ 0.3',
      measured: formatSpread(statements),
      reached: statements.median <= 0.3,
    },
    cost(samples, `${what}: CPU of the process`, 'processMs', ' ms'),
    cost(samples, `${what}: CPU of the database`, 'databaseMs', ' ms'),
    cost(samples, `${what}: WAL`, 'walKb', ' kB'),
    {
      what: 'deliveries answered meanwhile: rate',
      against: 'only stored and answered',
      reach: 'reported',
      measured: `${formatSpread(meanwhile)}; ${formatSpread(samples.spread(PROCESSED, 'answered'))} a second`,
      reached: null,
    },
  ];
}

function cost(samples: Samples, what: string, metric: string, unit: string): Finding {
  return {
    what,
    against:
      `graphile-worker: ${formatSpread(samples.spread(JOBS, metric), unit)}; ` +
      `only answered: ${formatSpread(samples.spread(ANSWERED, metric), unit)}`,
    reach: 'reported',
    measured: formatSpread(samples.spread(PROCESSED, metric), unit),
    reached: null,
  };
}
