import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Simulator } from '@tillkit/simulator';
import { CampaignDatabase } from '../campaigns/campaign.database.js';
import { startPlatform, subscribe, TILL } from '../campaigns/campaign.platform.js';
import { callReplica } from '../campaigns/replica.call.js';
import { Replicas } from '../campaigns/replicas.js';
import { TcpProxy } from '../campaigns/tcp.proxy.js';
import type { BusKind, BusSettings } from './bus.settings.js';

const APPLICATION = fileURLToPath(new URL('./bus.application.ts', import.meta.url));
const PLATFORM = {
  seed: 1,
  joinsNumbers: false,
  subscriptions: 1,
  // The retries last longer than any restart of the application: only a webhook reports a reversal at once, and its loss is not what this shows.
  deliveryRetries: [200, 500, 1_000, 2_000, 4_000, ...Array.from({ length: 10 }, () => 8_000)],
};

/** Succeeds, is cancelled, and succeeds and is reversed a second later: two events of one operation. */
const SCENARIOS = ['01', '02', '13'];

/** Much longer than any wait of the application, on a busy machine too: a delivery that a killed process has claimed waits for 30 s, until its lease ends. */
const UNCHANGED_MS = 120_000;

/** Customers who pay at the same time. */
const CUSTOMERS = 6;

/** A payment that the host asked for. */
export interface Asked {
  id: string;
  /** The outcomes that the platform's scenario may have, each with the events that tell of it. Empty: any. */
  outcomes: readonly (readonly string[])[];
}

/** @param has whether there is an event of this name about the payment */
export function isOutcomeKnown({ outcomes }: Asked, has: (name: string) => boolean): boolean {
  return outcomes.length === 0 || outcomes.some((names) => names.every(has));
}

export interface WrittenEvent {
  id: string;
  name: string;
  stream: string;
}

/** A merchant's application that forwards to a broker, on a real PostgreSQL, and the simulated platform. */
export class BusStage {
  readonly asked: Asked[] = [];

  private constructor(
    private readonly simulator: Simulator,
    private readonly database: CampaignDatabase,
    private readonly balancer: TcpProxy,
    private readonly application: Replicas<BusSettings>,
  ) {}

  static async open(kind: BusKind, busPort: number): Promise<BusStage> {
    const database = await CampaignDatabase.start();
    const targets: { ports: () => number[] } = { ports: () => [] };
    const balancer = await TcpProxy.start(() => targets.ports());
    const simulator = await startPlatform(PLATFORM);
    const publicUrl = `http://127.0.0.1:${balancer.port}`;
    const { url: baseUrl, clientId, clientSecret, apiKey } = simulator;
    const application = await Replicas.start<BusSettings>(
      1,
      (_name, port) => ({
        kind,
        busPort,
        port,
        databaseUrl: database.url,
        baseUrl,
        clientId,
        clientSecret,
        apiKey,
        publicUrl,
      }),
      APPLICATION,
    );
    targets.ports = () => application.ports();
    await subscribe(simulator, publicUrl, PLATFORM);
    return new BusStage(simulator, database, balancer, application);
  }

  /** Asks for payments until the work is over, and for at least so many. */
  async askWhile(work: Promise<unknown>, atLeast: number): Promise<void> {
    let isOver = false;
    const ended = work.finally(() => (isOver = true));
    let next = 0;
    const customer = async (): Promise<void> => {
      while (!isOver || next < atLeast) {
        next += 1;
        await this.ask(next);
        // A stream, not a flood: it must last as long as the faults.
        await sleep(100);
      }
    };
    await Promise.all([ended, ...Array.from({ length: CUSTOMERS }, customer)]);
  }

  async askFor(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) await this.ask(n);
  }

  /** As a host does: the same request with the same key until it is answered. */
  private async ask(n: number): Promise<void> {
    const scenario = SCENARIOS[n % SCENARIOS.length] as string;
    const request = {
      idempotencyKey: randomUUID(),
      subscriber: {
        firstName: 'Jane',
        lastName: 'Doe',
        phoneNumber: `+2547${String(n).padStart(6, '0')}${scenario}`,
      },
      amount: { currency: 'KES', value: '100.00' },
      tillNumber: TILL,
    };
    for (let attempt = 1; ; attempt += 1) {
      const answer = await callReplica(this.balancer.port, 'request', request).catch(() => null);
      if (answer?.ok) {
        const { id } = (await answer.json()) as { id: string };
        // If the application was killed while it sent, the outcome is found later or by a person.
        this.asked.push({ id, outcomes: attempt === 1 ? (OUTCOMES[scenario] ?? []) : [] });
        return;
      }
      await sleep(100);
    }
  }

  /** Kills the application by SIGKILL, and starts it again. */
  killApplication(): Promise<void> {
    return this.application.killOne(() => 0);
  }

  /** Waits until every payment has its events, and no call of the forwarder and no delivery of the platform waits, there or here. */
  settled(): Promise<void> {
    return untilNone(async () => {
      // Read first: what the platform has delivered meanwhile is stored. A payment may be known before its webhook comes.
      const sending = this.simulator.deliveries.list({ state: 'waiting' }).length;
      const missing = await this.missing();
      return [missing, sending + (await this.waiting()) + (await this.waitingDeliveries())];
    });
  }

  /** Waits until every payment has its events. Their calls may wait. */
  known(): Promise<void> {
    return untilNone(async () => [await this.missing()]);
  }

  /** The number of payments without their events. */
  private async missing(): Promise<number> {
    const written = new Set((await this.written()).map(({ stream, name }) => `${stream} ${name}`));
    return this.asked.filter(
      (payment) => !isOutcomeKnown(payment, (name) => written.has(`${payment.id} ${name}`)),
    ).length;
  }

  /** Counts the calls of the forwarder that are not completed, dead letters included. */
  waiting(): Promise<number> {
    return this.database.count(
      `select count(*) from tillkit.queue where listener is not null and lane <> 'done'`,
    );
  }

  /** Counts the deliveries that the application has stored, and not processed. */
  waitingDeliveries(): Promise<number> {
    return this.database.count(
      `select count(*) from tillkit.queue where lane in ('callback', 'webhook')`,
    );
  }

  /** Returns the deliveries that wait, for the reader of a check that failed. */
  deliveriesThatWait(): Promise<Record<string, unknown>[]> {
    return this.database.rows(
      `select lane, attempts, last_error, due_at - now() as due_in, claimed_until - now() as claimed_for
       from tillkit.queue where lane in ('callback', 'webhook')`,
    );
  }

  /** Counts the attempts that failed, because the broker was away or had not confirmed, or because the application was killed. */
  repeated(): Promise<number> {
    return this.database.count(
      `select coalesce(sum(attempts - 1), 0) as count from tillkit.queue where lane = 'done'`,
    );
  }

  /** Returns the events that the application has committed, in the order of the commits. */
  written(): Promise<WrittenEvent[]> {
    return this.database.rows<WrittenEvent & Record<string, unknown>>(
      'select id, name, stream from tillkit.event order by place',
    );
  }

  /** Returns what the application knows about some payments, for the reader of a check that failed. */
  histories(ids: readonly string[]): Promise<Record<string, unknown>[]> {
    return this.database.rows(
      `select id, state, reason, cause, cause_detail, history::text
       from tillkit.operation where id = any (array['${ids.join("', '")}'])`,
    );
  }

  async close(): Promise<void> {
    await this.application.stop();
    await this.simulator.stop();
    await this.balancer.stop();
    await this.database.stop();
  }
}

/** Waits until all numbers are 0. What is left when nothing changes any more is for the checks. */
async function untilNone(left: () => Promise<readonly number[]>): Promise<void> {
  let before = '';
  let changedAt = performance.now();
  while (performance.now() - changedAt < UNCHANGED_MS) {
    const now = await left();
    if (now.every((number) => number === 0)) return;
    if (now.join() !== before) changedAt = performance.now();
    before = now.join();
    await sleep(200);
  }
}

const OUTCOMES: Readonly<Record<string, Asked['outcomes']>> = {
  '01': [['payment.succeeded']],
  '02': [['payment.failed']],
  // If the application was away when the customer paid, it may learn of the money and its reversal at the same time: then a person decides.
  '13': [['payment.succeeded', 'payment.reversed'], ['payment.needs_review']],
};
