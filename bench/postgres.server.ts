import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@tillkit/postgres/embedded';
import { PostgresStore } from '@tillkit/postgres';
import pg from 'pg';
import { cpuOfTree, parentOf } from './cpu.time.js';

const TEMPLATE = 'tillkit_template';

/**
 * The PostgreSQL server of a run, with default settings, so commits are durable: its own, or the one on this machine that
 * TILLKIT_TEST_DATABASE_URL names (`npm run bench:debian`).
 */
export class PostgresServer {
  private pid: number | undefined;

  private constructor(
    private readonly baseUrl: string,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<PostgresServer> {
    const given = process.env['TILLKIT_TEST_DATABASE_URL'];
    const started = given
      ? new PostgresServer(given, () => Promise.resolve())
      : await PostgresServer.startOwn();
    await started.run((client) => client.query(`create database ${TEMPLATE}`));
    const store = new PostgresStore({ connectionString: started.urlOf(TEMPLATE), poolSize: 1 });
    await store.init();
    await store.close();
    return started;
  }

  private static async startOwn(): Promise<PostgresServer> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tillkit-bench-'));
    const server = await EmbeddedPostgres.start({ dataDir });
    return new PostgresServer(server.connectionString, async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    });
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

  /** Returns the CPU time in milliseconds that the server has used since its start. */
  async cpuMs(): Promise<number> {
    this.pid ??= await this.run(async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      return parentOf((rows[0] as { pid: number }).pid);
    });
    return cpuOfTree(this.pid);
  }

  /** Returns the settings that the results depend on. */
  async facts(): Promise<Record<string, string>> {
    return this.run(async (client) => {
      const { rows } = await client.query<{ name: string; setting: string }>(
        `select name, setting from pg_settings where name in
         ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size')`,
      );
      return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    });
  }

  /** The database that has no rows of ours. */
  get url(): string {
    return this.urlOf('postgres');
  }

  private urlOf(database: string): string {
    const url = new URL(this.baseUrl);
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
