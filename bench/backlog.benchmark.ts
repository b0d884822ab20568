import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench.context.js';
import type { Benchmark, Finding } from './benchmark.js';
import { DeliveriesSender } from './deliveries.load.js';
import { formatSpread, number, spreadOf } from './statistics.js';
import type { SubjectProcess } from './subject.process.js';
import type { Completed, Paced, PaidResult } from './subjects/orders.js';
import type { PaidCounts } from './subjects/paying-platform.subject.js';
import { costOf, type CostOfEach } from './work.cost.js';

/** Number of deliveries that are prepared at a time. */
const BATCH = 20_000;

const PAYMENT_EVERY_MS = 250;
const PAYMENTS_AT_A_TIME = 8;

/** The number of the first payment. Its phone differs from the phone of the stored webhooks, so it cannot be their payment. */
const FIRST_PAYMENT = 1_000_000;

/** How long the backlog may take. */
const MOST_MS = 20 * 60_000;

/** What a run of this benchmark needs. */
interface Parts {
  bench: BenchContext;
  sender: DeliveriesSender;
  platform: SubjectProcess;
}

/** Webhooks processed a second, and what each of them cost. */
type Processed = { rate: number } & CostOfEach;

interface Drained extends Processed {
  /** Payments that were asked for meanwhile. */
  payments: number;
  p50: number;
  p99: number;
}

/** Webhooks that were stored while nobody processed them, and new payments while a process catches up. */
export const backlog: Benchmark = {
  name: 'backlog',
  title: 'A backlog of webhooks',
  async run(bench) {
    const webhooks = bench.size(100_000, 640);
    const { steady, drained } = await DeliveriesSender.with(bench, (sender) =>
      bench.with('paying-platform', { withinMs: 5 }, async (platform) => {
        const parts = { bench, sender, platform };
        // The backlog stands between the two, so that other load on the machine affects both sides.
        const before = await steadyRate(parts);
        const drain = await drainBacklog(parts, webhooks);
        return { steady: [before, await steadyRate(parts)], drained: drain };
      }),
    );
    const rates = spreadOf(steady.map(({ rate }) => rate));
    const ratio = spreadOf(steady.map(({ rate }) => drained.rate / rate));
    const what = `${number(webhooks)} webhooks that were stored while no process worked`;
    const { payments, p50, p99 } = drained;
    return {
      findings: [
        {
          what: `${what}: rate of processing`,
          against: `the same process that receives and processes webhooks, without a backlog: ${formatSpread(rates)} a second`,
          reach: '≥ 0.9 of its rate',
          measured: `${formatSpread(ratio)}; ${number(drained.rate)} a second`,
          reached: ratio.median >= 0.9,
        },
        cost(`${what}: CPU of the process for each`, 'processMs', steady, drained),
        cost(`${what}: CPU of the database for each`, 'databaseMs', steady, drained),
        {
          what: `new payments meanwhile, ${1_000 / PAYMENT_EVERY_MS} a second: from the request to the call of their listener`,
          against: 'nothing: milliseconds',
          reach: 'p99 ≤ 2,000 ms',
          measured: `p50 ${number(p50)} ms, p99 ${number(p99)} ms, of ${payments} payments`,
          reached: p99 <= 2_000,
        },
      ],
      charts: [],
      samples: { steady, drained },
      notes: [
        'A process with `background: false` stores the webhooks. Then a process that works starts. It is measured until it has called its ' +
          'listener with all of them; meanwhile it asks for new payments, whose callbacks come after the whole backlog. The time of ' +
          'these payments has the request in it, and the 0 to 5 ms that the platform takes.',
      ],
    };
  },
};

/** Other load on the machine changes a rate within minutes, and the CPU time of each webhook less. */
function cost(
  what: string,
  metric: 'processMs' | 'databaseMs',
  steady: readonly Processed[],
  drained: Processed,
): Finding {
  return {
    what,
    against: `without a backlog, receiving included: ${formatSpread(spreadOf(steady.map((one) => one[metric])), ' ms')}`,
    reach: 'reported',
    measured: `${number(drained[metric])} ms`,
    reached: null,
  };
}

/** The rate at which a process receives and processes webhooks under full load. */
async function steadyRate({ bench, sender, platform }: Parts): Promise<Processed> {
  const [warmUp, count] = [bench.size(1_600, 320), bench.size(6_400, 640)];
  return bench.withDatabase(async (databaseUrl) =>
    bench.with('merchant', await settings(platform, databaseUrl), async (shop) => {
      await sender.send(shop, warmUp);
      await shop.call('until', warmUp);
      const processed = await costOf(bench, [shop], count, async () => {
        let seconds = 0;
        await sender.send(shop, count, async (send) => {
          const startedAt = performance.now();
          const result = await send();
          await shop.call('until', warmUp + count);
          seconds = (performance.now() - startedAt) / 1000;
          return result;
        });
        return { rate: count / seconds };
      });
      bench.log(`steady: ${number(processed.rate)} a second`);
      return processed;
    }),
  );
}

async function settings(platform: SubjectProcess, databaseUrl: string): Promise<object> {
  const baseUrl = await platform.call<string>('url');
  return { platform: 'fastify', databaseUrl, baseUrl, storesTransactions: false };
}

async function drainBacklog(parts: Parts, webhooks: number): Promise<Drained> {
  const { bench, platform } = parts;
  return bench.withDatabase(async (databaseUrl) => {
    await fill(parts, databaseUrl, webhooks);
    return bench.with('merchant', await settings(platform, databaseUrl), async (shop) => {
      const startedAt = process.hrtime.bigint();
      const already = (await shop.call<Completed>('progress')).transactions;
      await platform.call('deliverTo', [await shop.call<string>('url')]);
      const draining = bench.measured(shop, 'backlog', () =>
        costOf(bench, [shop], webhooks, async () => {
          const { transactions, lastAt } = await drained(bench, shop, webhooks);
          return { rate: ((transactions - already) * 1e9) / Number(lastAt - startedAt) };
        }),
      );
      const [processed, payments] = await Promise.all([draining, payWhile(shop, draining)]);
      await requireComplete({ shop, platform, webhooks, payments });
      const latencies = await shop.call<Pick<PaidResult, 'p50' | 'p99'>>('latencies');
      return { ...processed, payments, ...latencies };
    });
  });
}

/** Stores webhooks in a process that does not work. */
async function fill(
  { bench, sender }: Parts,
  databaseUrl: string,
  webhooks: number,
): Promise<void> {
  const receiver = { platform: 'fastify', databaseUrl, background: false };
  await bench.with('receiver', receiver, async (server) => {
    for (let sent = 0; sent < webhooks; sent += BATCH)
      await sender.send(server, Math.min(BATCH, webhooks - sent));
  });
  bench.log(`${number(webhooks)} webhooks stored`);
}

/** Resolves with what the process had received when it was as much as the backlog. */
async function drained(
  bench: BenchContext,
  shop: SubjectProcess,
  webhooks: number,
): Promise<Completed> {
  const until = performance.now() + MOST_MS;
  for (let polls = 1; ; polls += 1) {
    const completed = await shop.call<Completed>('progress');
    if (completed.transactions >= webhooks) return completed;
    if (performance.now() > until)
      throw new Error(`only ${completed.transactions} of ${webhooks} webhooks were processed`);
    if (polls % 100 === 0) bench.log(`${number(completed.transactions)} webhooks processed`);
    await sleep(100);
  }
}

/** Asks for payments at a constant interval until the backlog is drained. Resolves with their number. */
async function payWhile(shop: SubjectProcess, draining: Promise<unknown>): Promise<number> {
  let isDrained = false;
  const end = (): void => {
    isDrained = true;
  };
  void draining.then(end, end);
  let asked = 0;
  while (!isDrained) {
    const paced: Paced = {
      from: FIRST_PAYMENT + asked,
      count: PAYMENTS_AT_A_TIME,
      everyMs: PAYMENT_EVERY_MS,
    };
    await shop.call('askPaced', paced);
    asked += PAYMENTS_AT_A_TIME;
  }
  return asked;
}

/** Waits until every webhook and payment has reached its listener, and checks that there is no more of them. */
async function requireComplete(wanted: {
  shop: SubjectProcess;
  platform: SubjectProcess;
  webhooks: number;
  payments: number;
}): Promise<void> {
  const { shop, platform, webhooks, payments } = wanted;
  await shop.call('until', webhooks + payments);
  while ((await shop.call<Completed>('progress')).paid < payments) await sleep(100);
  const { paid, transactions } = await shop.call<Completed>('progress');
  const { creates } = await platform.call<PaidCounts>('counts');
  if (paid !== payments || creates !== payments || transactions !== webhooks + payments)
    throw new Error(
      `${payments} payments: ${creates} were created and ${paid} paid; ${transactions} transactions of ${webhooks + payments}`,
    );
}
