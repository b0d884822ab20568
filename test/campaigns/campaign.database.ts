import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgres } from '@tillkit/postgres/embedded';
import type pg from 'pg';
import { freePort } from '../support/free.port.js';
import { poolOf } from '../support/pool.js';
import { TcpProxy } from './tcp.proxy.js';

/** A database can stall in these ways while it still accepts connections: by table locks, or at commits. */
export type Stall = 'exclusive' | 'access exclusive' | 'commits';

/** A real PostgreSQL that the campaign can disconnect, restart, kill and stall. */
export class CampaignDatabase {
  /** Connections of the campaign itself, which are never cut. */
  readonly own: pg.Pool;

  private constructor(
    private server: EmbeddedPostgres,
    private readonly dataDir: string,
    private readonly port: number,
    private readonly proxy: TcpProxy,
  ) {
    this.own = poolOf(server.connectionString, { max: 6 });
  }

  static async start(): Promise<CampaignDatabase> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tillkit-campaign-'));
    const port = await freePort();
    const server = await startServer(dataDir, port);
    return new CampaignDatabase(server, dataDir, port, await TcpProxy.start(() => [port]));
  }

  get url(): string {
    return this.server.connectionString;
  }

  /** The URL through a proxy that can cut connections. */
  get proxiedUrl(): string {
    const url = new URL(this.url);
    url.port = String(this.proxy.port);
    return url.href;
  }

  /** Cuts all connections through the proxy, and accepts new ones after a time. */
  async cut(ms: number): Promise<void> {
    this.proxy.cut();
    await sleep(ms);
    this.proxy.restore();
  }

  restore(): void {
    this.proxy.restore();
  }

  /** Stops PostgreSQL cleanly, and starts it again. */
  async restart(): Promise<void> {
    await this.server.stop();
    this.server = await startServer(this.dataDir, this.port);
  }

  /** Kills PostgreSQL by SIGKILL, and starts it again. */
  async kill(): Promise<void> {
    const file = await readFile(join(this.dataDir, 'cluster', 'postmaster.pid'), 'utf8').catch(
      () => '',
    );
    const pid = Number(file.split('\n')[0]);
    if (pid) process.kill(pid, 'SIGKILL');
    await sleep(300);
    this.server = await startServer(this.dataDir, this.port);
  }

  /** Blocks writes (`exclusive`), writes and reads (`access exclusive`) or commits for a time. They continue afterwards. */
  async stall(what: Stall, ms: number): Promise<void> {
    if (what === 'commits') await this.stallCommits(ms);
    else await this.lockPayments(what, ms);
  }

  async rows<Row extends pg.QueryResultRow>(
    statement: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return (await this.own.query<Row>(statement, [...values])).rows;
  }

  async count(statement: string): Promise<number> {
    const [row] = await this.rows<{ count: string }>(statement);
    return Number(row?.count);
  }

  async stop(): Promise<void> {
    await this.proxy.stop();
    await this.own.end();
    await this.server.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  private async lockPayments(mode: string, ms: number): Promise<void> {
    const holder = await this.own.connect();
    try {
      await holder.query('begin');
      await holder.query(`lock table tillkit.operation in ${mode} mode`);
      await sleep(ms);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  }

  /** Requires a synchronous standby that never answers. Commits then wait, and neither a lock timeout nor a statement timeout ends the wait. */
  private async stallCommits(ms: number): Promise<void> {
    await this.own.query(`alter system set synchronous_standby_names = 'nobody'`);
    await this.own.query('select pg_reload_conf()');
    await sleep(ms);
    await this.own.query('alter system reset synchronous_standby_names');
    await this.own.query('select pg_reload_conf()');
  }
}

function startServer(dataDir: string, port: number): Promise<EmbeddedPostgres> {
  return EmbeddedPostgres.start({ dataDir, port, settings: { max_connections: '200' } });
}
