import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@tillkit/postgres/embedded';
import { PostgresStore } from '@tillkit/postgres';
import pg from 'pg';
import { cpuOfTree, parentOf } from './cpu.time.js';

const TEMPLATE = 'tillkit_template';

/** The PostgreSQL server of a run, with default settings, so commits are durable. */
export class PostgresServer {
  private pid: number | undefined;

  private constructor(
    private readonly server: EmbeddedPostgres,
    private readonly dataDir: string,
  ) {}

  static async start(): Promise<PostgresServer> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tillkit-bench-'));
    const started = new PostgresServer(await EmbeddedPostgres.start({ dataDir }), dataDir);
    await started.run((client) => client.query(`create database ${TEMPLATE}`));
    const store = new PostgresStore({ connectionString: started.urlOf(TEMPLATE), poolSize: 1 });
    await store.init();
    await store.close();
    return started;
  }

  /** Creates a database with the current schema. */
  async createDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
    const name = `tillkit_bench_${randomBytes(6).toString('hex')}`;
    await this.run((client) => client.query(`create database ${name} template ${TEMPLATE}`));
    return {
      url: this.urlOf(name),
      drop: async () => {
        await this.run((client) => client.query(`drop database if exists ${name} with (force)`));
      },
    };
  }

  /** CPU time in milliseconds that the server has used since its start. */
  async cpuMs(): Promise<number> {
    this.pid ??= await this.run(async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      return parentOf((rows[0] as { pid: number }).pid);
    });
    return cpuOfTree(this.pid);
  }

  /** The settings that the results depend on. */
  async facts(): Promise<Record<string, string>> {
    return this.run(async (client) => {
      const { rows } = await client.query<{ name: string; setting: string }>(
        `select name, setting from pg_settings where name in
         ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size')`,
      );
      return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    });
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** The database that has no rows of ours. */
  get url(): string {
    return this.urlOf('postgres');
  }

  private urlOf(database: string): string {
    const url = new URL(this.server.connectionString);
    url.pathname = `/${database}`;
    return url.href;
  }

  private run<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return withClient(this.url, work);
  }
}

/** Opens a connection, runs `work`, and closes the connection. */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
