import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Binaries } from './binaries.js';
import type { DataDirectory } from './data-directory.js';
import { EmbeddedPostgresError } from './embedded.errors.js';
import type { SystemUser } from './system-user.js';

/** The server's log file is opened without following a link. Windows has no such flag. */
const APPEND =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

export const SERVER_USER = 'tillkit';

/** Creates an empty cluster. Text is UTF-8 and sorted by bytes, so the order is the same on every machine. */
export async function initialise(
  { initdb }: Binaries,
  { cluster, passwordFile, user }: { cluster: string; passwordFile: string; user: SystemUser },
): Promise<void> {
  const child = spawn(
    initdb,
    [
      `--pgdata=${cluster}`,
      `--username=${SERVER_USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
    ],
    { ...user, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], env: environment() },
  );
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  await new Promise<void>((resolve, reject) => {
    child.on('error', (cause) => reject(cannotRun(initdb, cause)));
    child.on('close', (code) =>
      code === 0
        ? resolve()
        : reject(
            new EmbeddedPostgresError(`the data directory cannot be created: ${errors.trim()}`),
          ),
    );
  });
}

/** A server that was started. */
export interface ServerProcess {
  pid: number;
  /** Resolves when the process has ended. */
  ended: Promise<void>;
}

/**
 * Starts the server. It is durable, and only this machine can reach it. It runs in its own session, because Ctrl-C in a terminal
 * signals every process of the session, and the application must drain before its database stops. Its output goes to a
 * file, because a pipe breaks when this process is killed.
 */
export async function startServer(
  { postgres }: Binaries,
  {
    directory,
    port,
    settings,
    user,
  }: {
    directory: DataDirectory;
    port: number;
    settings: Readonly<Record<string, string>>;
    user: SystemUser;
  },
): Promise<ServerProcess> {
  const wanted: Record<string, string> = {
    ...settings,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'on',
    full_page_writes: 'on',
    logging_collector: 'off',
  };
  // The server writes to the descriptor, so the file stays ours.
  const log = openSync(directory.log, APPEND, 0o600);
  try {
    const child = spawn(
      postgres,
      [
        '-D',
        directory.cluster,
        '-p',
        String(port),
        ...Object.entries(wanted).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      { ...user, cwd: '/', detached: true, stdio: ['ignore', log, log], env: environment() },
    );
    const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
    const pid = await new Promise<number>((resolve, reject) => {
      child.on('error', (cause) => reject(cannotRun(postgres, cause)));
      child.on('spawn', () => resolve(child.pid as number));
    });
    child.unref();
    return { pid, ended };
  } finally {
    closeSync(log);
  }
}

/** Returns a port that is free now. Another process may take it before the server does. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

function environment(): NodeJS.ProcessEnv {
  // PGDATA, PGPORT and similar variables belong to another server.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  return { ...Object.fromEntries(own), LC_ALL: 'C' };
}

function cannotRun(program: string, cause: NodeJS.ErrnoException): EmbeddedPostgresError {
  const why =
    cause.code === 'EACCES' && process.getuid?.() === 0
      ? 'PostgreSQL does not run as root, and the user that it runs as cannot read the file. Move the project out of /root or another private folder'
      : cause.message;
  return new EmbeddedPostgresError(`cannot run ${program}: ${why}`, { cause });
}
