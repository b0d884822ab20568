import { readdirSync, rmSync } from 'node:fs';
import { chown, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded.errors.js';
import { isNamedProcessAlive, processName } from './live-process.js';
import type { SystemUser } from './system-user.js';

/** What PostgreSQL itself writes about the server of a cluster. */
export interface RunningServer {
  pid: number;
  port: number;
}

const LOCK_TIMEOUT_MS = 30_000;

/**
 * One directory with everything of one embedded server:
 * `cluster/` (PostgreSQL's own), `password`, `server.log`, `users/` (processes that use the server), `lock`.
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
    // The folders above are as anybody makes them: the server's user, another one where we are root, must pass.
    await mkdir(dirname(this.root), { recursive: true });
    await mkdir(this.root, { recursive: true, mode: 0o700 });
    await this.give(this.root);
    await mkdir(this.users, { recursive: true, mode: 0o700 });
  }

  /** Major version of the cluster; null before there is one. */
  async clusterVersion(): Promise<string | null> {
    return (await readIfThere(join(this.cluster, 'PG_VERSION')))?.trim() ?? null;
  }

  /**
   * Where a new cluster is made: beside its place, and moved there only when it is whole. What an earlier attempt left
   * is taken away.
   */
  async stage(): Promise<string> {
    const staged = `${this.cluster}.new`;
    await rm(staged, { recursive: true, force: true });
    return staged;
  }

  async adopt(staged: string): Promise<void> {
    await rename(staged, this.cluster);
  }

  /** A file that only the server's user can read. */
  async writePassword(password: string): Promise<string> {
    await rm(this.password, { force: true });
    await writeFile(this.password, password, { mode: 0o600, flag: 'wx' });
    await this.give(this.password);
    return this.password;
  }

  async readPassword(): Promise<string> {
    const password = await readIfThere(this.password);
    if (password !== null) return password;
    throw new EmbeddedPostgresError(
      `the file ${this.password} is gone, and with it the way into the data. Restore it, or remove ${this.root} to begin anew`,
    );
  }

  /** The server that PostgreSQL's own pid file names; it may be long gone. */
  async running(): Promise<RunningServer | null> {
    const lines = (await readIfThere(join(this.cluster, 'postmaster.pid')))?.split('\n');
    const [pid, port] = [Number(lines?.[0]), Number(lines?.[3])];
    return pid > 0 && port > 0 ? { pid, port } : null;
  }

  /** PostgreSQL believes a pid file whose number belongs to any process at all. */
  async removePidFile(): Promise<void> {
    await rm(join(this.cluster, 'postmaster.pid'), { force: true });
  }

  async joinUsers(): Promise<string> {
    const name = `${processName(process.pid)}+${Math.random().toString(36).slice(2)}`;
    await writeFile(join(this.users, name), '');
    return name;
  }

  /**
   * Whether other processes still use the server. Files of processes that were killed are taken away. Synchronous: a
   * process that is ending can do nothing else.
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

  /** One process at a time starts or stops the server. The lock of a process that was killed is taken away. */
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
      // an empty file is one that is being written, unless it stays so
      if (holder && !isNamedProcessAlive(holder)) await this.breakLock(holder);
      else if (Date.now() > deadline) {
        throw new EmbeddedPostgresError(
          `another process (${holder || 'unknown'}) has been starting or stopping the server in ${this.root} for long. ` +
            `If there is none, remove ${this.lock}`,
        );
      } else await sleep(20);
    }
  }

  /** By moving it first: of two that find the same dead lock, the second must not remove the first one's new lock. */
  private async breakLock(holder: string): Promise<void> {
    const moved = `${this.lock}.${process.pid}.${Math.random().toString(36).slice(2)}`;
    try {
      await rename(this.lock, moved);
    } catch {
      return;
    }
    const found = await readIfThere(moved);
    // A living one's was caught: give it back, unless a third has taken the place.
    if (found === holder || found === null) await rm(moved, { force: true });
    else await rename(moved, this.lock);
  }

  private async give(path: string): Promise<void> {
    if (this.owner) await chown(path, this.owner.uid, this.owner.gid);
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
