import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { EmbeddedPostgres } from '@tillkit/postgres/embedded';
import { PostgresStore } from '@tillkit/postgres';
import { PATIENT } from '../contracts/test-database.js';
import { freePort } from '../support/free.port.js';

/** The place where a statement stalls: before the end of its first change, or at its commit, which no timeout of ours interrupts. */
export type Stall = 'statement' | 'commit';

const PLACES: Readonly<Record<Stall, number>> = { statement: 1, commit: 2 };

const TABLES = ['operation', 'transaction', 'event', 'delivery', 'queue'];

/** Digits of epoch milliseconds as text. */
const DIGITS = 13;

/**
 * A real PostgreSQL for the simulation, on a file system in memory if there is one. Its clock is virtual: a file that every
 * connection reads. Triggers let statements stall and fail.
 */
export class SimulatedServer {
  private embedded: EmbeddedPostgres;
  private admin: pg.Client;
  private monitor: pg.Client;
  private isDown = false;
  private restarted: Promise<void> = Promise.resolve();
  private queue: Promise<unknown> = Promise.resolve();
  private clock = 0;
  private readonly clockFile: number;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {
    this.clockFile = openSync(join(folder, 'clock'), 'w', 0o644);
  }

  static async start(): Promise<SimulatedServer> {
    const memory = '/dev/shm';
    const folder = await mkdtemp(
      join(existsSync(memory) ? memory : tmpdir(), 'tillkit-simulation-'),
    );
    // When this process runs as root, the server runs as another user, who must reach the folder.
    await chmod(folder, 0o755);
    const server = new SimulatedServer(folder, await freePort());
    server.setClock(Date.UTC(2026, 0, 1));
    await server.launch();
    const store = new PostgresStore({ ...PATIENT, connectionString: server.url, poolSize: 1 });
    await store.init();
    await store.close();
    await server.admin.query(interference(join(folder, 'clock')));
    return server;
  }

  get url(): string {
    return this.embedded.connectionString;
  }

  async version(): Promise<string> {
    const { rows } = await this.ask<{ server_version: string }>('show server_version');
    return rows[0]?.server_version ?? '';
  }

  setClock(ms: number): void {
    if (ms === this.clock) return;
    this.clock = ms;
    writeSync(this.clockFile, String(ms).padStart(DIGITS, '0'), 0);
  }

  /**
   * Empties all tables and ends all other connections. A pool of the history before may open one connection more, and take its locks in
   * another order. Then we do all of it again.
   */
  async reset(): Promise<void> {
    for (;;) {
      await this.ask(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
         where datname = current_database() and backend_type = 'client backend' and not application_name = 'simulation'`,
      );
      await this.ask(`select pg_advisory_unlock_all()`);
      try {
        await this.ask(`select tillkit_sim.reset(); select setval('tillkit_sim.failures', 1)`);
        return;
      } catch (error) {
        if ((error as { code?: string }).code !== '40P01') throw error;
      }
    }
  }

  /** Returns a query of the observer. @param name prepares the query, when it is repeated often */
  async inspect<Row extends pg.QueryResultRow>(
    text: string,
    values: unknown[],
    name?: string,
  ): Promise<Row[]> {
    return (await this.ask<Row>({ ...(name !== undefined && { name }), text, values })).rows;
  }

  /** Returns the number of statements that wait for a lock. */
  async waiting(): Promise<number> {
    if (this.isDown) return 0;
    const { rows } = await this.monitor.query<{ count: number }>({
      name: 'waiting',
      text: `select count(*)::integer as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    });
    return rows[0]?.count ?? 0;
  }

  /** The next writing statements fail, this many times: by serialization failure or deadlock. */
  async failNext(times: number): Promise<void> {
    await this.ask(`select setval('tillkit_sim.failures', $1)`, [times + 1]);
  }

  /** Statements of one process stop at a place until they are released. False while another is stalled there. */
  async stall(process: string, place: Stall): Promise<boolean> {
    const { rows } = await this.ask<{ taken: boolean }>(
      `select pg_try_advisory_lock(hashtext($1), $2) as taken`,
      [process, PLACES[place]],
    );
    return rows[0]?.taken ?? false;
  }

  /** Lets stalled statements go on, or ends them with their connections. Resolves when they are over. */
  async release(process: string, place: Stall, how: 'commit' | 'cancel'): Promise<void> {
    const mine = `from pg_stat_activity where application_name = $1 and state = 'active'`;
    if (how === 'cancel') {
      await this.ask(`select pg_terminate_backend(pid, 2000) ${mine} and wait_event = 'advisory'`, [
        process,
      ]);
    }
    await this.ask(`select pg_advisory_unlock(hashtext($1), $2)`, [process, PLACES[place]]);
    for (let tries = 0; tries < 20; tries += 1) {
      const { rowCount } = await this.ask(
        `select ${mine} and wait_event_type is distinct from 'Lock'`,
        [process],
      );
      if (rowCount === 0) return;
      await sleep(1);
    }
  }

  /** Holds locks in a transaction of another client. Null when it did not get them. */
  async hold(statement: string): Promise<pg.Client | null> {
    const client = await this.connect('another client');
    try {
      await client.query(`begin; set local lock_timeout = '100ms'; ${statement}`);
      return client;
    } catch {
      await client.end();
      return null;
    }
  }

  /** Ends every connection of the replicas and hosts, as a failover does. */
  async endConnections(): Promise<void> {
    await this.ask(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and not application_name = 'simulation'`,
    );
  }

  /** Stops the server, cleanly or by a crash, and starts it again with the same data. */
  restart(how: 'in order' | 'crash'): Promise<void> {
    this.restarted = this.stopAndStart(how);
    return this.restarted;
  }

  private async stopAndStart(how: 'in order' | 'crash'): Promise<void> {
    this.isDown = true;
    const [pid] = readFileSync(join(this.folder, 'data/cluster/postmaster.pid'), 'utf8').split(
      '\n',
    );
    process.kill(Number(pid), how === 'crash' ? 'SIGQUIT' : 'SIGINT');
    for (let tries = 0; isAlive(Number(pid)) && tries < 3_000; tries += 1) await sleep(5);
    await this.embedded.stop();
    await this.launch();
    this.isDown = false;
  }

  async connect(name: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, application_name: name });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async stop(): Promise<void> {
    await this.admin.end();
    await this.monitor.end();
    await this.embedded.stop();
    closeSync(this.clockFile);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
  }

  /** Runs queries one after the other. A query that a restart breaks runs again after it. */
  private ask<Row extends pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>> {
    const run = (): Promise<pg.QueryResult<Row>> => this.admin.query<Row>(query, values);
    const answer = this.queue.then(run).catch((error: unknown) => {
      if (!this.isDown) throw error;
      return this.restarted.then(run);
    });
    this.queue = answer.catch(() => undefined);
    return answer;
  }

  private async launch(): Promise<void> {
    this.embedded = await EmbeddedPostgres.start({
      dataDir: join(this.folder, 'data'),
      port: this.port,
      settings: { max_connections: '200', autovacuum_naptime: '5s', log_min_messages: 'panic' },
    });
    this.admin = await this.connect('simulation');
    this.monitor = await this.connect('simulation');
  }
}

function interference(clockFile: string): string {
  const triggers = TABLES.map(
    (table) => `
    create trigger interfere after insert or update or delete on tillkit.${table}
      for each statement execute function tillkit_sim.interfere(1);
    create constraint trigger interfere_at_commit after insert or update or delete on tillkit.${table}
      deferrable initially deferred for each row execute function tillkit_sim.interfere(2);`,
  );
  return `
    create or replace function tillkit.clock() returns timestamptz language sql volatile parallel safe as $body$
      select to_timestamp(pg_read_file('${clockFile}', 0, ${DIGITS})::float8 / 1000)
    $body$;
    create schema tillkit_sim;
    create sequence tillkit_sim.failures increment -1 minvalue 1 maxvalue 100 start 1;
    create function tillkit_sim.interfere() returns trigger language plpgsql as $body$
    declare
      p_left bigint;
    begin
      perform pg_advisory_xact_lock_shared(hashtext(current_setting('application_name')), tg_argv[0]::integer);
      select last_value into p_left from tillkit_sim.failures;
      if p_left > 1 then
        perform nextval('tillkit_sim.failures');
        if p_left % 2 = 0 then
          raise exception 'could not serialize access' using errcode = 'serialization_failure';
        end if;
        raise exception 'deadlock detected' using errcode = 'deadlock_detected';
      end if;
      return null;
    end
    $body$;
    create function tillkit_sim.reset() returns void language plpgsql as $body$
    declare
      p_tables text;
    begin
      select string_agg(format('%I.%I', schemaname, tablename), ', ') into p_tables
      from pg_tables where schemaname = 'tillkit' and tablename not in ('migration', 'function_set');
      execute 'truncate ' || p_tables || ' restart identity';
    end
    $body$;
    ${triggers.join('')}`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
