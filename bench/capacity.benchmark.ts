import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding, Table } from './benchmark.js';
import { merchant } from './merchants.contender.js';
import { withClient } from './postgres.server.js';
import { alternate, type Contender, type Samples } from './rounds.js';
import { number } from './statistics.js';
import type { CostOfEach } from './work.cost.js';

/** Payments a second; null: as many as possible. */
const RATES = [3, 30, 100, null];

/** The days of retention by default, after which deliveries are deleted and personal data is removed. */
const PERSONAL_DATA_DAYS = 90;

/** Indexes whose keys are ids of others or hashes: new rows may go to any page of them, so all of it is in use. */
const SCATTERED = [
  'delivery_key',
  'event_pkey',
  'event_stream',
  'queue_line',
  'operation_payer',
  'operation_idempotency_key',
  'platform_name_pkey',
  'operation_queue_pkey',
  'transaction_pkey',
];

interface Left {
  relations: Relation[];
  /** Bytes of each payment in these indexes. */
  scatteredBytes: number;
}

interface Relation {
  table: string;
  rows: number;
  bytes: number;
}

/** Measures the cost of one payment at several rates, and what it leaves in the database. docs/scaling.md computes capacity from it. */
export const capacity: Benchmark = {
  name: 'capacity',
  title: 'What a payment costs and leaves',
  async run(bench) {
    const rates = bench.args.smoke ? RATES.slice(1, 2) : RATES;
    const samples = await alternate(
      rates.map((rate) => contender(bench, rate)),
      bench.rounds(2),
      (line) => bench.log(line),
    );
    const count = bench.size(10_000, 20);
    const { relations, scatteredBytes } = await leftAfter(bench, count);
    const last = costOf(samples, nameOf(rates.at(-1) ?? null));
    return {
      findings: [disk(relations, last), memory(scatteredBytes)],
      charts: [],
      tables: [costs(samples, rates), rows(relations)],
      samples: { samples, relations },
      notes: [
        "Payments as in `whole-payments`. CPU and WAL include the host's own four rows; statements do not. Sizes are those of payments that " +
          'were just completed, with indexes and free space in pages. ' +
          `After ${PERSONAL_DATA_DAYS} days (\`retention.personalDataMs\`) retention deletes deliveries and redacts the rest.`,
      ],
    };
  },
};

function nameOf(rate: number | null): string {
  return rate === null ? 'full load' : `${rate} a second`;
}

function contender(bench: BenchContext, rate: number | null): Contender {
  const everyMs = rate === null ? null : 1_000 / rate;
  const seconds = bench.size(20, 1);
  const load = {
    warmUp: bench.size(800, 5),
    count: rate === null ? 2_000 : rate * seconds,
    everyMs,
  };
  return merchant(bench, nameOf(rate), 'merchant', { platform: 'fastify' }, load);
}

function costOf(samples: Samples, name: string): CostOfEach & { rate: number } {
  const median = (metric: string): number => samples.spread(name, metric).median;
  return {
    rate: median('rate'),
    statements: median('statements'),
    processMs: median('processMs'),
    databaseMs: median('databaseMs'),
    walKb: median('walKb'),
  };
}

function costs(samples: Samples, rates: readonly (number | null)[]): Table {
  return {
    head: [
      'payments a second',
      'statements of each',
      'CPU of the process',
      'CPU of the database',
      'WAL',
      'cores of the process',
      'cores of the database',
      'WAL a second',
    ],
    rows: rates.map((rate) => {
      const cost = costOf(samples, nameOf(rate));
      return [
        rate === null ? `${number(cost.rate)} (full load)` : String(rate),
        number(cost.statements),
        `${number(cost.processMs)} ms`,
        `${number(cost.databaseMs)} ms`,
        `${number(cost.walKb)} kB`,
        number((cost.processMs * cost.rate) / 1_000),
        number((cost.databaseMs * cost.rate) / 1_000),
        `${number((cost.walKb * cost.rate) / 1_000)} MB`,
      ];
    }),
  };
}

function rows(relations: readonly Relation[]): Table {
  return {
    head: ['table', 'rows of each payment', 'bytes of each payment, with indexes'],
    rows: relations.map(({ table, rows: each, bytes }) => [table, number(each), number(bytes)]),
  };
}

function disk(relations: readonly Relation[], { walKb }: CostOfEach): Finding {
  const all = relations.reduce((sum, { bytes }) => sum + bytes, 0);
  const deliveries = relations.find(({ table }) => table === 'delivery')?.bytes ?? 0;
  const yearOf = (bytes: number): string => number((bytes * 100_000 * 365) / 1e9);
  return {
    what: 'disk for 100,000 payments a day',
    against: '—',
    reach: 'reported',
    measured:
      `${number(all / 1_000)} kB for each payment, ${number(deliveries / 1_000)} kB of it deliveries: ${yearOf(all)} GB a year, ` +
      `${yearOf(all - deliveries)} GB of it after ${PERSONAL_DATA_DAYS} days; WAL ${number((walKb * 100_000) / 1e6)} GB a day`,
    reached: null,
  };
}

function memory(scatteredBytes: number): Finding {
  return {
    what: 'indexes that should stay in memory',
    against: '—',
    reach: 'reported',
    measured: `${number(scatteredBytes)} bytes for each payment: ${number(scatteredBytes / 100)} GB for 10,000,000 payments`,
    reached: null,
  };
}

/** Completes payments in a new database, and reads the size of each table. */
async function leftAfter(bench: BenchContext, count: number): Promise<Left> {
  return bench.withDatabase((databaseUrl) =>
    bench.with('paying-platform', { withinMs: 5 }, async (platform) => {
      const baseUrl = await platform.call<string>('url');
      await bench.with('merchant', { platform: 'fastify', databaseUrl, baseUrl }, async (shop) => {
        await platform.call('deliverTo', [await shop.call<string>('url')]);
        await shop.call('payMany', { from: 0, count, concurrency: 50 });
      });
      return withClient(databaseUrl, async (client) => {
        await client.query('vacuum analyze');
        const { rows: found } = await client.query<{ table: string; rows: number; bytes: number }>(
          `select relname as table, greatest(reltuples, 0)::float8 as rows, pg_total_relation_size(pg_class.oid)::float8 as bytes
           from pg_class join pg_namespace on pg_namespace.oid = relnamespace
           where nspname = 'tillkit' and relkind = 'r' order by bytes desc`,
        );
        const { rows: indexes } = await client.query<{ bytes: number }>(
          `select sum(pg_relation_size(to_regclass('tillkit.' || name)))::float8 as bytes from unnest($1::text[]) as given(name)`,
          [SCATTERED],
        );
        const relations = found
          .map(({ table, rows: all, bytes }) => ({
            table,
            rows: all / count,
            bytes: bytes / count,
          }))
          .filter(({ rows: each }) => each >= 0.5);
        return { relations, scatteredBytes: (indexes[0]?.bytes ?? 0) / count };
      });
    }),
  );
}
