import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding } from './benchmark.js';
import { visitsOf, type Visit } from './dashboard-visits.js';
import { fillShopHistory } from './shop-history.fixture.js';
import { number, quantile } from './statistics.js';

/** The pages of the dashboard of a shop that has taken many payments. */
export const dashboardPages: Benchmark = {
  name: 'dashboard-pages',
  title: 'The dashboard of a shop with many payments',
  async run(bench) {
    const payments = bench.args.rows ?? bench.size(10_000_000, 20_000);
    const shop = `${payments.toLocaleString('en-GB')} payments`;
    return bench.withDatabase(async (databaseUrl) => {
      await fillShopHistory(databaseUrl, payments, (line) => bench.log(line));
      const times = await bench.with('dashboard', { databaseUrl }, async (dashboard) =>
        timesOf(bench, await dashboard.call<string>('url'), visitsOf(payments)),
      );
      const file = await fileOf(bench, databaseUrl, Math.round(payments / 10));
      return {
        findings: [
          ...times.map(({ name, reach, p95 }): Finding => ({
            what: `dashboard, ${shop}: ${name}, p95`,
            against: 'one viewer',
            reach: `≤ ${reach} ms`,
            measured: `${number(p95)} ms`,
            reached: p95 <= reach,
          })),
          {
            what: `dashboard, ${shop}: memory of a CSV file of ${file.rows.toLocaleString('en-GB')} payments`,
            against: 'before it',
            reach: '≤ 64 MB more',
            measured: `${number(file.more)} MB`,
            reached: file.more <= 64,
          },
        ],
        charts: [],
        tables: [
          {
            head: ['page', 'median, ms', 'p95, ms', 'slowest, ms'],
            rows: times.map(({ name, p50, p95, slowest }) => [
              name,
              number(p50),
              number(p95),
              number(slowest),
            ]),
          },
        ],
        samples: { times, file },
        notes: [
          'A year of a shop with eight tills: payments with their histories, transactions and kept totals; deliveries and events of the ' +
            'last 90 days; payouts, refunds and payment links, one of each for 1,000 payments. Each page is asked for with other values ' +
            'each time, so no result is used again, by one viewer on the same machine. The time is that until the whole page is read.',
        ],
      };
    });
  },
};

interface Timed {
  name: string;
  reach: number;
  p50: number;
  p95: number;
  slowest: number;
}

/** In turns, so that other load of the machine affects all pages alike. */
export async function timesOf(
  bench: BenchContext,
  url: string,
  visits: readonly Visit[],
): Promise<Timed[]> {
  const taken = new Map<Visit, number[]>(visits.map((visit) => [visit, []]));
  const warmUp = bench.size(5, 1);
  const rounds = warmUp + bench.size(100, 3);
  for (let round = 0; round < rounds; round += 1) {
    for (const [visit, times] of taken) {
      const time = await open(url, visit, round);
      if (round >= warmUp) times.push(time);
    }
  }
  return [...taken].map(([{ name, reach }, times]) => {
    const sorted = times.toSorted((one, other) => one - other);
    const timed = {
      name,
      reach,
      p50: quantile(sorted, 0.5),
      p95: quantile(sorted, 0.95),
      slowest: sorted.at(-1) as number,
    };
    bench.log(`${name}: median ${number(timed.p50)} ms, p95 ${number(timed.p95)} ms`);
    return timed;
  });
}

export async function open(
  url: string,
  { name, status, request }: Visit,
  n: number,
): Promise<number> {
  const { path, form } = request(n);
  const startedAt = performance.now();
  const response = await fetch(url + path, {
    redirect: 'manual',
    ...(form && {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { 'sec-fetch-site': 'same-origin' },
    }),
  });
  await response.arrayBuffer();
  const took = performance.now() - startedAt;
  if (status === undefined ? response.status >= 400 : response.status !== status)
    throw new Error(`${name}: ${path} answered ${response.status}`);
  return took;
}

/** The memory that a process takes for a file of so many of the newest payments; it is read as fast as it comes. */
export async function fileOf(
  bench: BenchContext,
  databaseUrl: string,
  wanted: number,
): Promise<{ rows: number; more: number }> {
  const options = { execArgv: ['--expose-gc'] };
  return bench.with(
    'dashboard',
    { databaseUrl },
    async (dashboard) => {
      const url = await dashboard.call<string>('url');
      await linesOf(`${url}/payments.csv`, 1_000);
      const before = await dashboard.call<number>('memory');
      const rows = await linesOf(`${url}/payments.csv`, wanted);
      return { rows, more: Math.max(0, (await dashboard.call<number>('peak')) - before) };
    },
    options,
  );
}

/** Reads so many lines of a file, and closes the connection. @returns how many there were */
async function linesOf(url: string, wanted: number): Promise<number> {
  const abort = new AbortController();
  const response = await fetch(url, { signal: abort.signal });
  let lines = -1;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    for (const byte of chunk) if (byte === 10) lines += 1;
    if (lines >= wanted) break;
  }
  abort.abort();
  return lines;
}
