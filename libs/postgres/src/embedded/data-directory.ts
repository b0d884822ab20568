import { readdirSync, rmSync } from 'node:fs';
import { lchown, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded.errors.js';
import { secureFolder } from './folder-owner.js';
import { isNamedProcessAlive, processName } from './live-process.js';
import type { SystemUser } from './system-user.js';

/** The running server, as the pid file of PostgreSQL names it. */
export interface RunningServer {
  pid: number;
  port: number;
}

const LOCK_TIMEOUT_MS = 30_000;

/**
 * The directory of one embedded server: `cluster/` (the data of PostgreSQL), `password`, `server.log`, `users/` (a file for
 * each process that uses the server) and `lock`. It belongs to the user of this process. If that is root, only `cluster/` and
 * `password` belong to the user of the server, who can write nowhere else and so cannot redirect what root writes.
 */
export class DataDirectory {
  readonly root: string;
  readonly cluster: string;
  readonly log: string;
  private readonly password: string;
  private readonly users: string;
  private readonly lock: string;

  constructor(
    dataDir: string,
    private readonly owner: SystemUser,
  ) {
    this.root = resolve(dataDir);
    this.cluster = join(this.root, 'cluster');
    this.log = join(this.root, 'server.log');
    this.password = join(this.root, 'password');
    this.users = join(this.root, 'users');
    this.lock = join(this.root, 'lock');
  }

  async create(): Promise<void> {
    // Parent folders get the default mode: if this process is root, the server runs as another user and must reach its data.
    await mkdir(dirname(this.root), { recursive: true });
    await mkdir(this.root, { mode: 0o700 }).catch(unless('EEXIST'));
    await secureFolder(this.root, this.owner ? 0o711 : 0o700);
    await mkdir(this.users, { recursive: true, mode: 0o700 });
  }

  /** Returns the major version of the cluster; null if there is none yet. */
  async clusterVersion(): Promise<string | null> {
    return (await readIfThere(join(this.cluster, 'PG_VERSION')))?.trim() ?? null;
  }

  /** Returns the path where a new cluster is made. It is moved to its place when it is complete. This removes the files of an interrupted attempt. */
  async stage(): Promise<string> {
    const staged = `${this.cluster}.new`;
    await rm(staged, { recursive: true, force: true });
    await mkdir(staged, { mode: 0o700 });
    if (this.owner) await lchown(staged, this.owner.uid, this.owner.gid);
    return staged;
  }

  async adopt(staged: string): Promise<void> {
    await rename(staged, this.cluster);
  }

  /** Writes a file that only the user of the server can read. */
  async writePassword(password: string): Promise<string> {
    await rm(this.password, { force: true });
    const file = await open(this.password, 'wx', 0o600);
    try {
      await file.writeFile(password);
      if (this.owner) await file.chown(this.owner.uid, this.owner.gid);
    } finally {
      await file.close();
    }
    return this.password;
  }

  async readPassword(): Promise<string> {
    const password = await readIfThere(this.password);
    if (password !== null) return password;
    throw new EmbeddedPostgresError(
      `the file ${this.password} is missing, so nobody can log in to the database. Restore the file, or delete ${this.root} with all its data`,
    );
  }

  /** Returns the server that the pid file names. It may have stopped without removing the file. */
  async running(): Promise<RunningServer | null> {
    const lines = (await readIfThere(join(this.cluster, 'postmaster.pid')))?.split('\n');
    const [pid, port] = [Number(lines?.[0]), Number(lines?.[3])];
    return pid > 0 && port > 0 ? { pid, port } : null;
  }

  /** Removes a stale pid file. PostgreSQL refuses to start if any process has its number. */
  async removePidFile(): Promise<void> {
    await rm(join(this.cluster, 'postmaster.pid'), { force: true });
  }

  async joinUsers(): Promise<string> {
    const name = `${processName(process.pid)}+${Math.random().toString(36).slice(2)}`;
    await writeFile(join(this.users, name), '');
    return name;
  }

  /**
   * Removes the file of this process and returns whether other processes use the server. Also removes files of killed
   * processes. It is synchronous, because a process that exits cannot wait.
   */
  leaveUsers(name: string): boolean {
    rmSync(join(this.users, name), { force: true });
    let others = false;
    for (const other of readdirSync(this.users)) {
      if (isNamedProcessAlive(other.split('+')[0] ?? '')) others = true;
      else rmSync(join(this.users, other), { force: true });
    }
    return others;
  }

  /** Runs work while no other process starts or stops the server. Removes the lock of a killed process. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    await this.takeLock();
    try {
      return await work();
    } finally {
      await rm(this.lock, { force: true });
    }
  }

  async logTail(): Promise<string> {
    return ((await readIfThere(this.log)) ?? '').split('\n').slice(-12).join('\n').trim();
  }

  private async takeLock(): Promise<void> {
    const mine = processName(process.pid);
    const deadline = Date.now() + LOCK_TIMEOUT_MS;
    for (;;) {
      try {
        const file = await open(this.lock, 'wx', 0o600);
        await file.writeFile(mine);
        await file.close();
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = await readIfThere(this.lock);
      // An empty file is a lock that its owner is just writing.
      if (holder && !isNamedProcessAlive(holder)) await this.breakLock(holder);
      else if (Date.now() > deadline) {
        throw new EmbeddedPostgresError(
          `another process (${holder || 'unknown'}) has held the lock of ${this.root} for ${LOCK_TIMEOUT_MS / 1000} s. ` +
            `If no process starts or stops the server, remove ${this.lock}`,
        );
      } else await sleep(20);
    }
  }

  /** Moves the lock before removing it: if two processes find the same stale lock, the second must not remove the new lock of the first. */
  private async breakLock(holder: string): Promise<void> {
    const moved = `${this.lock}.${process.pid}.${Math.random().toString(36).slice(2)}`;
    try {
      await rename(this.lock, moved);
    } catch {
      return;
    }
    const found = await readIfThere(moved);
    // The moved lock belongs to a running process, so we put it back.
    if (found === holder || found === null) await rm(moved, { force: true });
    else await rename(moved, this.lock);
  }
}

function unless(code: string): (error: unknown) => void {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
  };
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
