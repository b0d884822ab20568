import { setTimeout as sleep } from 'node:timers/promises';
import type { Simulator } from '@tillkit/simulator';
import { letTimePass } from '../contracts/test-database.js';
import { CampaignDatabase } from './campaign.database.js';
import { CampaignHosts } from './campaign.hosts.js';
import { startPlatform, subscribe, type PlatformOptions } from './campaign.platform.js';
import { QUICK, type ReplicaTuning } from './replica.settings.js';
import { Replicas } from './replicas.js';
import { TcpProxy } from './tcp.proxy.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Twice the longest pause between two looks at a payment. */
const STILL_MS = 7_000;

export interface WorldOptions extends PlatformOptions {
  replicas: number;
  tuning: Partial<ReplicaTuning>;
}

/** A merchant of several replicas on one PostgreSQL, and the platform it sells on; all of it can be broken. */
export class CampaignWorld {
  /** What is wrong beside what the table shows. */
  readonly problems: string[] = [];

  private constructor(
    readonly simulator: Simulator,
    readonly database: CampaignDatabase,
    readonly hosts: CampaignHosts,
    readonly replicas: Replicas,
    /** For replicas that are started from now on. */
    readonly tuning: ReplicaTuning,
    private readonly balancer: TcpProxy,
  ) {}

  static async open(options: WorldOptions): Promise<CampaignWorld> {
    const database = await CampaignDatabase.start();
    await database.rows(
      `create table received_event (
         id bigserial, at timestamptz default clock_timestamp(),
         name text, event_id text, subject text, payment_id text, via text, replica text
       )`,
    );
    const targets: { ports: () => number[] } = { ports: () => [] };
    const balancer = await TcpProxy.start(() => targets.ports());
    const simulator = await startPlatform(options);
    const publicUrl = `http://127.0.0.1:${balancer.port}`;
    const tuning: ReplicaTuning = { ...QUICK, ...options.tuning };
    const replicas = await Replicas.start(options.replicas, (name, port) => ({
      ...tuning,
      name,
      port,
      databaseUrl: database.proxiedUrl,
      eventsUrl: database.url,
      platform: Number(name.split('-')[1]) % 2 === 0 ? 'fastify' : 'express',
      baseUrl: simulator.url,
      clientId: simulator.clientId,
      clientSecret: simulator.clientSecret,
      apiKey: simulator.apiKey,
      publicUrl,
    }));
    targets.ports = () => replicas.ports();
    await subscribe(simulator, publicUrl, options);
    const hosts = new CampaignHosts(() => balancer.port);
    return new CampaignWorld(simulator, database, hosts, replicas, tuning, balancer);
  }

  /** Says what a phase promises beside the table. */
  expect(holds: boolean, problem: string): void {
    if (!holds) this.problems.push(problem);
  }

  /**
   * Lets everything come to its end: no more faults, time passes on the platform's clock until windows are whole, then in
   * the store until what has no evidence is for a person.
   */
  async settle(stillMs = STILL_MS): Promise<void> {
    this.simulator.faults.clear();
    this.database.restore();
    await this.simulator.idle();
    await this.simulator.clock.advance(20 * MINUTE);
    await this.untilStill(() => this.openPayments(), stillMs);
    await this.simulator.clock.advance(65 * MINUTE);
    await this.untilStill(() => this.openPayments(), stillMs);
    await this.untilSwept();
    if ((await this.openPayments()) > 0) await letTimePass(this.database.url, DAY);
    await this.until(() => this.openPayments(), 120_000);
    await this.until(() => this.waitingWork(), 120_000);
    // What is delivered again the next day changes nothing any more.
    await this.simulator.clock.advance(DAY);
    await this.simulator.idle();
    await this.until(() => this.waitingWork(), 120_000);
  }

  /** Until all that came so far was listed: what neither callback nor webhook reported is only there. */
  private async untilSwept(): Promise<void> {
    const since = new Date(this.simulator.clock.now() - 30 * MINUTE).toISOString();
    await this.until(
      () => this.database.count(`select count(*) from tillkit.sweep where watermark < '${since}'`),
      60_000,
    );
    await this.until(() => this.waitingWork(), 60_000);
  }

  async close(): Promise<void> {
    await this.replicas.stop();
    await this.simulator.stop();
    await this.balancer.stop();
    await this.database.stop();
  }

  /** Payments of which nothing final is known yet. */
  openPayments(): Promise<number> {
    return this.database.count(
      `select count(*) from tillkit.operation payment where state in ('created', 'requested', 'pending', 'unknown')`,
    );
  }

  /** Deliveries and calls of listeners that wait. */
  async waitingWork(): Promise<number> {
    return (
      (await this.database.count(`select count(*) from tillkit.delivery_queue`)) +
      (await this.database.count(`select count(*) from tillkit.call where state = 'pending'`))
    );
  }

  /** Waits for a number to become 0, and no longer than it takes a broken system to show that it is. */
  async until(left: () => Promise<number>, patienceMs: number): Promise<void> {
    const giveUpAt = Date.now() + patienceMs;
    while ((await left()) > 0 && Date.now() < giveUpAt) await sleep(100);
  }

  /** Waits for a number to become 0, or to stay what it is for longer than anything takes that still moves. */
  private async untilStill(left: () => Promise<number>, stillMs: number): Promise<void> {
    let last = await left();
    for (let stillSince = Date.now(); last > 0 && Date.now() - stillSince < stillMs;) {
      await sleep(100);
      const now = await left();
      if (now !== last) stillSince = Date.now();
      last = now;
    }
  }
}
