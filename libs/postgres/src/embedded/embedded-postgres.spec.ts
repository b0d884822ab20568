import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import pg from 'pg';
import { PaymentsStore } from '@tillkit/payments/internal/store';
import { aDelivery } from '../../../../test/contracts/store-under-test.js';
import { EmbeddedPostgres } from './embedded-postgres.js';
import { EmbeddedPostgresStoreModule } from './embedded-store.module.js';
import { EmbeddedPostgresStore } from './embedded.store.js';
import { isAlive } from './live-process.js';

/** Runs sources in a process of their own. */
const RUN_SOURCES = [
  '--conditions=@tillkit/source',
  '--import',
  fileURLToPath(new URL('../../../../test/support/typescript.register.mjs', import.meta.url)),
];
const APPLICATION = fileURLToPath(new URL('../testing/embedded.application.ts', import.meta.url));

let dataDir: string;
/** A data directory that is made once, because making one takes longer than most tests. */
let made: string;
const applications: ChildProcess[] = [];

beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), 'tillkit-embedded-'));
  await (await EmbeddedPostgres.start({ dataDir: made })).stop();
});
afterAll(async () => {
  await rm(made, { recursive: true, force: true });
});
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tillkit-embedded-'));
  // Keeps the owner, who may be another user.
  execFileSync('cp', ['-a', `${made}/.`, dataDir]);
});
afterEach(async () => {
  for (const application of applications.splice(0)) application.kill('SIGKILL');
  const pid = await serverPid();
  if (pid && isAlive(pid)) killServer(pid);
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

async function startApplication(way = 'stay'): Promise<{ application: ChildProcess; url: string }> {
  const application = spawn(process.execPath, [...RUN_SOURCES, APPLICATION, dataDir, way], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  applications.push(application);
  const [output] = (await once(application.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { application, url: output.toString().trim() };
}

async function serverPid(): Promise<number | null> {
  const file = await readFile(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8').catch(() => '');
  return Number(file.split('\n')[0]) || null;
}

/** Kills the server and all its processes. Unlike after a power cut, the disk cache is not lost. */
function killServer(pid: number): void {
  process.kill(-pid, 'SIGKILL');
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

async function untilGone(pid: number | null): Promise<void> {
  while (pid && isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

const start = (): Promise<EmbeddedPostgres> => EmbeddedPostgres.start({ dataDir });

describe('an embedded server', () => {
  it('is durable, and can be reached only from this machine and with its password', async () => {
    const server = await start();
    const settings = await query(
      server.connectionString,
      `select name, setting from pg_settings
       where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses', 'unix_socket_directories')`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
    });
    const wrong = new URL(server.connectionString);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password/);
    expect((await stat(join(dataDir, 'password'))).mode & 0o077).toBe(0);
    expect((await stat(join(dataDir, 'cluster'))).mode & 0o077).toBe(0);
    const { password } = new URL(server.connectionString);
    expect(inspect(server, { depth: 9, showHidden: true })).not.toContain(password);
    const pid = await serverPid();
    await server.stop();
    await server.stop();
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  it('makes the folders of its data, even if the server runs as another user', async () => {
    const above = await mkdtemp(join(tmpdir(), 'tillkit-embedded-'));
    await chmod(above, 0o755);
    try {
      const server = await EmbeddedPostgres.start({ dataDir: join(above, 'data', 'shop', 'pg') });
      await server.stop();
    } finally {
      await rm(above, { recursive: true, force: true });
    }
  });

  it('keeps its data from one start to the next', async () => {
    const first = await start();
    await query(first.connectionString, `create table kept as select 'kept' as word`);
    await first.stop();
    const second = await start();
    expect(await query(second.connectionString, 'table kept')).toEqual([{ word: 'kept' }]);
    await second.stop();
  });

  it('is taken over when the application that started it was killed', async () => {
    const { application, url } = await startApplication();
    await query(url, `create table kept as select 'kept' as word`);
    const pid = await serverPid();
    application.kill('SIGKILL');
    await once(application, 'exit');
    expect(isAlive(pid ?? 0)).toBe(true);
    const server = await start();
    expect(server.connectionString).toBe(url);
    expect(await query(url, 'table kept')).toEqual([{ word: 'kept' }]);
    await server.stop();
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  it('is shared by processes that use the same directory, and stopped by the last of them', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    const { application, url } = await startApplication('exit');
    expect([one.connectionString, two.connectionString]).toEqual([url, url]);
    await one.stop();
    await two.stop();
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const pid = await serverPid();
    application.stdin?.write('exit');
    await once(application, 'exit');
    await untilGone(pid);
  });

  it.each([
    ['exits', 'exit'],
    ['is ended by a signal that it does not handle', 'stay'],
    ['drains on a signal, as Nest does', 'hooks'],
  ])('stops with an application that %s', async (_, way) => {
    const { application } = await startApplication(way);
    const pid = await serverPid();
    if (way === 'exit') application.stdin?.write('exit');
    else application.kill('SIGTERM');
    const [code, signal] = (await once(application, 'exit')) as [number | null, string | null];
    expect([code, signal]).toEqual(way === 'stay' ? [null, 'SIGTERM'] : [0, null]);
    await untilGone(pid);
  });

  it('loses no acknowledged row when it is killed while rows are written', async () => {
    const store = await EmbeddedPostgresStore.open({ dataDir });
    await store.init();
    const acknowledged: string[] = [];
    let killed = false;
    const writer = async (): Promise<void> => {
      while (!killed) {
        const delivery = aDelivery('default');
        await store.deliveries.store(delivery).then(
          () => acknowledged.push(delivery.id),
          () => {},
        );
      }
    };
    const writers = Array.from({ length: 16 }, writer);
    while (acknowledged.length < 500) await new Promise(setImmediate);
    killServer((await serverPid()) ?? 0);
    killed = true;
    await Promise.all(writers);
    await store.close();

    const again = await EmbeddedPostgresStore.open({ dataDir });
    const rows = await query(again.connectionString, 'select id from tillkit.delivery');
    const kept = new Set(rows.map(({ id }) => id));
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    await again.close();
  });

  it('ignores a pid file that names another process', async () => {
    const file = join(dataDir, 'cluster', 'postmaster.pid');
    await writeFile(file, `${process.pid}\n${dataDir}/cluster\n1\n5432\n\n127.0.0.1\n`);
    const server = await start();
    expect(await query(server.connectionString, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
  });

  it('starts again after the first start was killed before its end, and removes the lock', async () => {
    await rm(join(dataDir, 'cluster'), { recursive: true });
    await mkdir(join(dataDir, 'cluster.new', 'base'), { recursive: true });
    await writeFile(join(dataDir, 'lock'), '999999.1');
    const server = await start();
    await server.stop();
  });

  it('refuses data of another version and a missing password, with an error that says so', async () => {
    await writeFile(join(dataDir, 'cluster', 'PG_VERSION'), '9.6\n');
    await expect(start()).rejects.toThrow(/does not start[^]*version/i);
    await rm(join(dataDir, 'password'));
    await expect(start()).rejects.toThrow(/password is missing/);
  });
});

describe('EmbeddedPostgresStoreModule', () => {
  it('provides a store on a server that runs as long as the application', async () => {
    const module = await Test.createTestingModule({
      imports: [EmbeddedPostgresStoreModule.forRoot({ dataDir })],
    }).compile();
    const store = module.get(PaymentsStore);
    expect(await store.anomalies.list('default')).toEqual([]);
    const pid = await serverPid();
    expect(isAlive(pid ?? 0)).toBe(true);
    await module.close();
    expect(isAlive(pid ?? 0)).toBe(false);
  });
});
