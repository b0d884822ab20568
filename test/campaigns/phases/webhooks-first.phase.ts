import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalEntry, Simulator } from '@tillkit/simulator';
import { PAYS, type CampaignPhase } from '../campaign.phase.js';
import { percentile, spread } from '../campaign.printer.js';
import type { CampaignEnvironment } from '../campaign.environment.js';
import { FAST } from '../replica.settings.js';
import { LoadWatcher } from '../load.watcher.js';

const PHASE = 'webhooks first';
const A_SECOND = 50;
const SECONDS = 120;
const REQUESTS_PER_SECOND = 5;

/** One in this many callbacks is lost. */
const LOST_EVERY = 50;

/** Time until the first scheduled read, with its jitter and time in the queue. */
const FOUND_WITHIN_MS = 20_000 * 1.2 + 10_000;

const KEY = `idempotency_key like '${PHASE}%'`;

/** Webhooks arrive at once and callbacks 0.5 to 3 s later, at 50 payments a second for two minutes. */
export const webhooksFirst: CampaignPhase = {
  name: 'webhooks-first',
  environment: {
    // There are two replicas, because this phase measures the library, and two shared cores cannot run four replicas at this rate.
    replicas: 2,
    subscriptions: 1,
    tuning: {
      reconciliation: {
        ...FAST.reconciliation,
        scheduleMs: [20_000, 45_000, 90_000],
        sweepEveryMs: 900_000,
        requestsPerSecond: REQUESTS_PER_SECOND,
      },
    },
  },
  async run(environment, { draw }) {
    const { hosts, simulator } = environment;
    await hosts.ask('warm-up', 60, { scenario: () => PAYS });
    const reads = new ReadCounter(simulator);
    const load = new LoadWatcher(environment);
    const lostPhones = new Set<string>();
    const began = performance.now();
    await hosts.ask(PHASE, A_SECOND * SECONDS, {
      scenario: () => PAYS,
      concurrency: 400,
      before: async (n, phone) => {
        await sleep(Math.max(0, began + (n * 1_000) / A_SECOND - performance.now()));
        const match = { delivery: 'callback', phone };
        if (n % LOST_EVERY === LOST_EVERY - 1) {
          lostPhones.add(phone);
          simulator.faults.once('lose', match);
        } else simulator.faults.once('delay', match, { ms: 500 + draw() * 2_500 });
      },
    });
    const seconds = (performance.now() - began) / 1_000;
    // Without a change of the clock, scheduled reads find lost callbacks of the last payments too.
    const open = (): Promise<number> => environment.openPayments();
    await environment.until(open, FOUND_WITHIN_MS);
    environment.expect(
      (await open()) === 0,
      'payments are still open after the time of their scheduled reads',
    );
    await environment.until(() => environment.waitingWork(), 20_000);
    const seen = load.stop();
    console.log(
      `${PHASE}: ${(hosts.asked.filter(({ phase }) => phase === PHASE).length / seconds).toFixed(1)} a second, load average of the machine ${(loadavg()[0] ?? 0).toFixed(1)}`,
    );
    reportReads(environment, reads.stop());
    await reportCallbacks(environment);
    await reportLost(environment, lostPhones);
    console.log(
      `memory of a replica: ${seen.rssMb.first} MB at first, ${seen.rssMb.last} MB at last, at most ${seen.rssMb.most} MB; ` +
        `deliveries and calls that wait: at most ${seen.mostWaiting}, ${seen.lastWaiting} at last`,
    );
    environment.expect(seen.rssMb.most < 400, `a replica used ${seen.rssMb.most} MB`);
    // Webhooks wait up to three seconds for their callback. The limit allows twice the expected number, for a busy machine.
    environment.expect(
      seen.mostWaiting < A_SECOND * 10 * 2,
      `${seen.mostWaiting} deliveries and calls waited`,
    );
  },
};

/** Counts background requests, by replica. */
class ReadCounter {
  private readonly at = new Map<string, number[]>();
  private readonly unsubscribe: () => void;

  constructor(simulator: Simulator) {
    this.unsubscribe = simulator.journal.subscribe((entry) => this.count(entry));
  }

  stop(): ReadonlyMap<string, readonly number[]> {
    this.unsubscribe();
    return this.at;
  }

  private count(entry: JournalEntry): void {
    if (entry.type !== 'request' || entry.url.includes('/oauth')) return;
    const isCreate = entry.method === 'POST' && entry.url.includes('incoming_payments');
    if (isCreate) return;
    const replica = (entry.headers['user-agent'] ?? '').split('/')[0] ?? '';
    this.at.set(replica, [...(this.at.get(replica) ?? []), performance.now()]);
  }
}

function reportReads(
  environment: CampaignEnvironment,
  reads: ReadonlyMap<string, readonly number[]>,
): void {
  const most = Math.max(0, ...[...reads.values()].map(mostInASecond));
  const all = [...reads.values()].reduce((sum, { length }) => sum + length, 0);
  console.log(`background requests: ${all}, at most ${most} of one replica in one second`);
  // One request starts every 200 ms. Sometimes two arrive a little closer together.
  environment.expect(most <= REQUESTS_PER_SECOND + 1, `${most} background requests in one second`);
}

function mostInASecond(times: readonly number[]): number {
  return Math.max(
    0,
    ...times.map(
      (time, n) => times.slice(n, n + 20).filter((other) => other < time + 1_000).length,
    ),
  );
}

async function reportCallbacks(environment: CampaignEnvironment): Promise<void> {
  const applied = await environment.database.rows<{ ms: string }>(
    `select 1000 * extract(epoch from event.created_at - delivery.received_at) as ms
     from tillkit.operation payment
     join tillkit.event on event.stream = payment.id and event.name = 'payment.succeeded' and event.via = 'callback'
     join tillkit.delivery on delivery.resource_id = payment.id and delivery.kind = 'callback'
     where ${KEY}`,
  );
  const ms = applied.map((row) => Number(row.ms));
  console.log(`callbacks, stored to applied: ${spread(ms)}`);
  environment.expect(percentile(ms, 0.99) <= 1_000, 'callbacks were applied late');
}

async function reportLost(
  environment: CampaignEnvironment,
  phones: ReadonlySet<string>,
): Promise<void> {
  const keys = environment.hosts.asked
    .filter(({ phone }) => phones.has(phone))
    .map(({ key }) => key);
  const found = await environment.database.rows<{ ms: string; via: string }>(
    `select 1000 * extract(epoch from event.created_at - payment.created_at) as ms, event.via
     from tillkit.operation payment join tillkit.event on event.stream = payment.id and event.name = 'payment.succeeded'
     where idempotency_key = any($1)`,
    [keys],
  );
  const ms = found.map((row) => Number(row.ms));
  console.log(`lost callbacks, recorded to found: ${spread(ms)}, of ${keys.length} lost`);
  environment.expect(
    found.length === keys.length && percentile(ms, 1) < FOUND_WITHIN_MS,
    'a lost callback was not found on schedule',
  );
}
