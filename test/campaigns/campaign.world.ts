import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgres } from '@tillkit/postgres/embedded';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import pg from 'pg';
import { letTimePass } from '../contracts/test-database.js';
import { freePort } from '../support/free.port.js';
import { Replicas } from './replicas.js';
import { TcpProxy } from './tcp.proxy.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Twice the longest pause between two looks at a payment. */
const STILL_MS = 7_000;

/** Payments asked for at once. */
const CONCURRENCY = 16;

export interface Asked {
  phase: string;
  key: string;
  phone: string;
  /** Null while no replica has answered. */
  paymentId: string | null;
}

export interface WorldOptions {
  replicas: number;
  listenerFaults: number;
  seed: number;
}

/** A merchant of several replicas on one PostgreSQL, and the platform it sells on; all of it can be broken. */
export class CampaignWorld {
  readonly asked: Asked[] = [];
  private constructor(
    readonly simulator: Simulator,
    readonly replicas: Replicas,
    readonly database: TcpProxy,
    private readonly balancer: TcpProxy,
    private server: EmbeddedPostgres,
    private readonly dataDir: string,
    private readonly databasePort: number,
    readonly heard: pg.Pool,
  ) {}

  static async open({ replicas, listenerFaults, seed }: WorldOptions): Promise<CampaignWorld> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tillkit-campaign-'));
    const port = await freePort();
    const server = await startServer(dataDir, port);
    const heard = new pg.Pool({ connectionString: server.connectionString, max: 4 });
    heard.on('error', () => undefined);
    await heard.query(
      `create table heard (
         id bigserial, at timestamptz default clock_timestamp(),
         name text, event_id text, subject text, via text, replica text
       )`,
    );
    const database = await TcpProxy.start(() => [port]);
    const targets: { ports: () => number[] } = { ports: () => [] };
    const balancer = await TcpProxy.start(() => targets.ports());
    const simulator = await Simulator.start({
      seed,
      timings: { ...INSTANT_TIMINGS, deliveryTimeout: 5_000 },
      deliveryRetries: [200, 500, 1_000, 2_000, 4_000, 8_000],
      journalSize: 100,
      deliveriesKept: 100,
    });
    const publicUrl = `http://127.0.0.1:${balancer.port}`;
    const databaseUrl = new URL(server.connectionString);
    databaseUrl.port = String(database.port);
    const started = await Replicas.start(replicas, (name, replicaPort) => ({
      name,
      port: replicaPort,
      databaseUrl: databaseUrl.href,
      heardUrl: server.connectionString,
      platform: Number(name.split('-')[1]) % 2 === 0 ? 'fastify' : 'express',
      baseUrl: simulator.url,
      clientId: simulator.clientId,
      clientSecret: simulator.clientSecret,
      apiKey: simulator.apiKey,
      publicUrl,
      listenerFaults,
      reviewAfterMs: DAY,
    }));
    targets.ports = () => started.ports();
    const world = new CampaignWorld(
      simulator,
      started,
      database,
      balancer,
      server,
      dataDir,
      port,
      heard,
    );
    await world.subscribe(publicUrl);
    return world;
  }

  /** Asks for payments, as a shop does that asks again with the same key until it has an answer. */
  async ask(phase: string, count: number, scenario: (n: number) => string): Promise<void> {
    const first = this.asked.length;
    const mine = Array.from({ length: count }, (_, n): Asked => {
      const serial = String(first + n).padStart(5, '0');
      return {
        phase,
        key: `${phase}-${serial}`,
        phone: `+25471${serial}${scenario(n)}`,
        paymentId: null,
      };
    });
    this.asked.push(...mine);
    const queue = [...mine];
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (let one = queue.shift(); one; one = queue.shift()) await this.askUntilAnswered(one);
      }),
    );
  }

  /** Takes the database away, as a failing switch does, and brings it back. */
  async cutDatabase(ms: number): Promise<void> {
    this.database.cut();
    await sleep(ms);
    this.database.restore();
  }

  /** Stops PostgreSQL in good order, and starts it again. */
  async restartDatabase(): Promise<void> {
    await this.server.stop();
    this.server = await startServer(this.dataDir, this.databasePort);
  }

  /** SIGKILL to PostgreSQL and all that belongs to it, and a new start. */
  async killDatabase(): Promise<void> {
    const file = await readFile(join(this.dataDir, 'cluster', 'postmaster.pid'), 'utf8').catch(
      () => '',
    );
    const pid = Number(file.split('\n')[0]);
    if (pid) process.kill(pid, 'SIGKILL');
    await sleep(300);
    this.server = await startServer(this.dataDir, this.databasePort);
  }

  /**
   * Lets everything come to its end: no more faults, time passes on the platform's clock until windows are whole, then in
   * the store until what has no evidence is for a person.
   */
  async settle(): Promise<void> {
    this.simulator.faults.clear();
    this.database.restore();
    await this.simulator.idle();
    await this.simulator.clock.advance(20 * MINUTE);
    await this.untilStill(() => this.openPayments());
    await this.simulator.clock.advance(65 * MINUTE);
    await this.untilStill(() => this.openPayments());
    if ((await this.openPayments()) > 0) await letTimePass(this.server.connectionString, DAY);
    await this.until(() => this.openPayments(), 120_000);
    await this.until(() => this.waitingWork(), 120_000);
    // What is delivered again the next day changes nothing any more.
    await this.simulator.clock.advance(DAY);
    await this.simulator.idle();
    await this.until(() => this.waitingWork(), 120_000);
  }

  async close(): Promise<void> {
    await this.replicas.stop();
    await this.simulator.stop();
    await this.balancer.stop();
    await this.database.stop();
    await this.heard.end();
    await this.server.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** Payments of which nothing final is known yet. */
  openPayments(): Promise<number> {
    return this.count(
      `select count(*) from tillkit.payment where state in ('created', 'requested', 'pending', 'unknown')`,
    );
  }

  private async waitingWork(): Promise<number> {
    return (
      (await this.count(`select count(*) from tillkit.delivery_queue`)) +
      (await this.count(`select count(*) from tillkit.call where state = 'pending'`))
    );
  }

  private async count(text: string): Promise<number> {
    const { rows } = await this.heard.query<{ count: string }>(text);
    return Number(rows[0]?.count);
  }

  /** Waits for a number to become 0, and no longer than it takes a broken system to show that it is. */
  private async until(left: () => Promise<number>, patienceMs: number): Promise<void> {
    const giveUpAt = Date.now() + patienceMs;
    while ((await left()) > 0 && Date.now() < giveUpAt) await sleep(100);
  }

  /** Waits for a number to become 0, or to stay what it is for longer than anything takes that still moves. */
  private async untilStill(left: () => Promise<number>): Promise<void> {
    let last = await left();
    for (let stillSince = Date.now(); last > 0 && Date.now() - stillSince < STILL_MS;) {
      await sleep(100);
      const now = await left();
      if (now !== last) stillSince = Date.now();
      last = now;
    }
  }

  private async askUntilAnswered(one: Asked): Promise<void> {
    const body = JSON.stringify({
      idempotencyKey: one.key,
      subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: one.phone },
      amount: { currency: 'KES', value: '100.00' },
    });
    for (;;) {
      try {
        const response = await fetch(`http://127.0.0.1:${this.balancer.port}/request`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
          signal: AbortSignal.timeout(20_000),
        });
        if (response.ok) {
          one.paymentId = ((await response.json()) as { id: string }).id;
          return;
        }
      } catch {
        // The replica died, or is frozen, or was never there: another one will answer.
      }
      await sleep(100);
    }
  }

  private async subscribe(publicUrl: string): Promise<void> {
    const token = await fetch(`${this.simulator.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: this.simulator.clientId,
        client_secret: this.simulator.clientSecret,
        grant_type: 'client_credentials',
      }),
    });
    const { access_token } = (await token.json()) as { access_token: string };
    for (let subscription = 0; subscription < 2; subscription += 1) {
      await fetch(`${this.simulator.url}/api/v1/webhook_subscriptions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${access_token}`,
          accept: 'application/json',
          'content-type': 'application/json',
          'user-agent': 'campaign/1.0 (tests)',
        },
        body: JSON.stringify({
          event_type: 'buygoods_transaction_received',
          url: `${publicUrl}/payments/webhooks`,
          scope: 'till',
          scope_reference: '514459',
        }),
      });
    }
  }
}

function startServer(dataDir: string, port: number): Promise<EmbeddedPostgres> {
  return EmbeddedPostgres.start({ dataDir, port, settings: { max_connections: '200' } });
}
