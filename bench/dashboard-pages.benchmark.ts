import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding } from './benchmark.js';
import { visitsOf, type Visit } from './dashboard-visits.js';
import { fillShopHistory } from './shop-history.fixture.js';
import { number, quantile } from './statistics.js';

/** The page shows this many of the slowest pages. */
const SHOWN = 10;

/** The pages of the dashboard of a shop that has taken many payments. */
export const dashboardPages: Benchmark = {
  name: 'dashboard-pages',
  title: 'The dashboard of a shop with many payments',
  async run(bench) {
    const payments = bench.args.rows ?? bench.size(1_000_000, 5_000);
    const shop = `${payments.toLocaleString('en-GB')} payments`;
    return bench.withDatabase(async (databaseUrl) => {
      await fillShopHistory(databaseUrl, payments, (line) => bench.log(line));
      const times = await bench.with('dashboard', { databaseUrl }, async (dashboard) =>
        timesOf(bench, await dashboard.call<string>('url'), visitsOf(payments)),
      );
      const file = await fileOf(bench, databaseUrl, Math.round(payments / 10));
      return {
        findings: [
          ...[...new Set(times.map(({ reach }) => reach))].map((reach) =>
            slowest(
              shop,
              times.filter((one) => one.reach === reach),
            ),
          ),
          {
            what: `dashboard, ${shop}: memory for a CSV file of ${file.rows.toLocaleString('en-GB')} payments`,
            against: `a tenth of it (${number(file.peak - file.more)} MB)`,
            reach: '≤ 32 MB more',
            measured: `${number(file.more)} MB`,
            reached: file.more <= 32,
          },
        ],
        charts: [],
        tables: [
          {
            head: ['page', 'median, ms', 'p95, ms', 'slowest, ms'],
            rows: times
              .toSorted((one, other) => other.p95 - one.p95)
              .slice(0, SHOWN)
              .map(({ name, p50, p95, slowest }) => [
                name,
                number(p50),
                number(p95),
                number(slowest),
              ]),
          },
        ],
        samples: { times, file },
        notes: [
          'A year of a shop with eight tills; deliveries and events of the last 90 days. One viewer on the same machine asks for each page ' +
            'with other values each time. The time ends when the whole page is read. All other pages have a lower p95.',
        ],
      };
    });
  },
};

/** Returns the slowest of the pages that may take equally long. */
function slowest(shop: string, times: readonly Timed[]): Finding {
  const [{ name, reach, p95 }] = times.toSorted((one, other) => other.p95 - one.p95) as [Timed];
  return {
    what: `dashboard, ${shop}: p95 of ${times.length === 1 ? name : `the slowest of ${times.length} pages (${name})`}`,
    against: 'one viewer, each time with other values',
    reach: `≤ ${reach} ms`,
    measured: `${number(p95)} ms`,
    reached: p95 <= reach,
  };
}

interface Timed {
  name: string;
  reach: number;
  p50: number;
  p95: number;
  slowest: number;
}

/** Asks for all pages in turns, so that other load of the machine affects them alike. */
async function timesOf(
  bench: BenchContext,
  url: string,
  visits: readonly Visit[],
): Promise<Timed[]> {
  const taken = new Map<Visit, number[]>(visits.map((visit) => [visit, []]));
  const warmUp = bench.size(5, 0);
  const rounds = warmUp + bench.size(100, 1);
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

async function open(url: string, { name, status, request }: Visit, n: number): Promise<number> {
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

/**
 * Compares the memory that a process takes for a file of many payments with that for a tenth of them. The reader takes the file as fast as it comes.
 */
async function fileOf(
  bench: BenchContext,
  databaseUrl: string,
  wanted: number,
): Promise<{ rows: number; peak: number; more: number }> {
  return bench.with('dashboard', { databaseUrl }, async (dashboard) => {
    const file = `${await dashboard.call<string>('url')}/payments.csv`;
    await linesOf(file, Math.round(wanted / 10));
    const before = await dashboard.call<number>('peakMemory');
    const rows = await linesOf(file, wanted);
    const peak = await dashboard.call<number>('peakMemory');
    return { rows, peak, more: peak - before };
  });
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
