import { setTimeout as sleep } from 'node:timers/promises';
import type { Simulator } from '@tillkit/simulator';
import { letTimePass } from '../contracts/test-database.js';
import { CampaignDatabase } from './campaign.database.js';
import { CampaignHosts } from './campaign.hosts.js';
import { startPlatform, subscribe, type PlatformOptions } from './campaign.platform.js';
import { MoneyOutHosts } from './money-out.hosts.js';
import { FAST, type ReplicaSettings, type ReplicaTuning } from './replica.settings.js';
import { Replicas } from './replicas.js';
import { TcpProxy } from './tcp.proxy.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** This is twice the longest interval between two reads of a payment. */
const UNCHANGED_MS = 7_000;

/** Ends only what hangs: a busy machine is slow, not wrong. */
const LONGEST_WAIT_MS = 600_000;

export interface EnvironmentOptions extends PlatformOptions {
  replicas: number;
  tuning: Partial<ReplicaTuning>;
}

/** A merchant with several replicas on one PostgreSQL, and the simulated platform. Every part can fail. */
export class CampaignEnvironment {
  /** Checks that failed, beside those of the table. */
  readonly problems: string[] = [];

  private constructor(
    readonly simulator: Simulator,
    readonly database: CampaignDatabase,
    readonly hosts: CampaignHosts,
    readonly moneyOut: MoneyOutHosts,
    readonly replicas: Replicas,
    /** Settings of replicas that start from now on. */
    readonly tuning: ReplicaTuning,
    private readonly balancer: TcpProxy,
  ) {}

  static async open(options: EnvironmentOptions): Promise<CampaignEnvironment> {
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
    const tuning: ReplicaTuning = { ...FAST, ...options.tuning };
    const replicas = await Replicas.start<ReplicaSettings>(options.replicas, (name, port) => ({
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
    const moneyOut = new MoneyOutHosts(() => balancer.port);
    return new CampaignEnvironment(
      simulator,
      database,
      hosts,
      moneyOut,
      replicas,
      tuning,
      balancer,
    );
  }

  /** Adds a problem unless a condition holds. */
  expect(holds: boolean, problem: string): void {
    if (!holds) this.problems.push(problem);
  }

  /**
   * Ends all faults and waits until every payment is settled. It moves the platform's clock until all time windows are
   * listed, and then the store's clock until payments without evidence need review.
   */
  async settle(unchangedMs = UNCHANGED_MS): Promise<void> {
    this.simulator.faults.clear();
    this.database.restore();
    await this.simulator.idle();
    await this.simulator.clock.advance(20 * MINUTE);
    await this.untilUnchanged(() => this.openPayments(), unchangedMs);
    await this.simulator.clock.advance(65 * MINUTE);
    await this.untilUnchanged(() => this.openPayments(), unchangedMs);
    await this.untilSwept();
    if ((await this.openPayments()) > 0) await letTimePass(this.database.url, DAY);
    await this.until(() => this.openPayments());
    await this.settleLinks();
    await this.until(() => this.waitingWork());
    // Deliveries of the next day are replays and change nothing.
    await this.simulator.clock.advance(DAY);
    await this.simulator.idle();
    await this.until(() => this.waitingWork());
  }

  /** Links that nobody pays stay open for a week, and a day longer when the platform's id of them is not known. */
  private async settleLinks(): Promise<void> {
    if ((await this.openLinks()) === 0) return;
    await this.simulator.clock.advance(8 * DAY);
    await this.untilUnchanged(() => this.openLinks(), UNCHANGED_MS);
    await letTimePass(this.database.url, 9 * DAY);
    await this.until(() => this.openLinks());
  }

  /** Waits until a sweep has listed all money so far, which finds what neither callback nor webhook reported. */
  private async untilSwept(): Promise<void> {
    // A replica that was killed, or whose connection was cut at a claim, would hold up the next sweep for minutes.
    await this.database.rows(`update tillkit.account set claimed_until = clock_timestamp()`);
    await this.database.rows(
      `update tillkit.queue set due_at = clock_timestamp(), claimed_until = null, token = null where lane = 'sweep'`,
    );
    const since = new Date(this.simulator.clock.now() - 30 * MINUTE).toISOString();
    const unswept = (): Promise<number> =>
      this.database.count(`select count(*) from tillkit.account where watermark < '${since}'`);
    await this.until(unswept);
    this.expect((await unswept()) === 0, 'no sweep has listed all money');
    await this.until(() => this.waitingWork());
  }

  async close(): Promise<void> {
    await this.replicas.stop();
    await this.simulator.stop();
    await this.balancer.stop();
    await this.database.stop();
  }

  /** Returns the number of operations that are not settled, without links. */
  openPayments(): Promise<number> {
    return this.open(`kind <> 'payment_link'`);
  }

  private openLinks(): Promise<number> {
    return this.open(`kind = 'payment_link'`);
  }

  private open(condition: string): Promise<number> {
    return this.database.count(
      `select count(*) from tillkit.operation where ${condition} and state in ('created', 'requested', 'pending', 'unknown')`,
    );
  }

  /** Returns the number of waiting deliveries and listener calls. */
  async waitingWork(): Promise<number> {
    return this.database.count(
      `select count(*) from tillkit.queue where lane in ('callback', 'webhook') or lane like 'call %'`,
    );
  }

  /** Waits until a number is 0, at most for the timeout. */
  async until(left: () => Promise<number>, timeoutMs = LONGEST_WAIT_MS): Promise<void> {
    const giveUpAt = Date.now() + timeoutMs;
    while ((await left()) > 0 && Date.now() < giveUpAt) await sleep(100);
  }

  /** Waits until a number is 0, or has not changed for a time. */
  private async untilUnchanged(left: () => Promise<number>, unchangedMs: number): Promise<void> {
    let last = await left();
    for (let unchangedSince = Date.now(); last > 0 && Date.now() - unchangedSince < unchangedMs;) {
      await sleep(100);
      const now = await left();
      if (now !== last) unchangedSince = Date.now();
      last = now;
    }
  }
}
