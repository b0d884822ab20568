import type { BenchContext } from './bench.context.js';
import { withClient, type PostgresServer } from './postgres.server.js';
import type { Measurement } from './rounds.js';
import type { SubjectProcess } from './subject.process.js';

/** One of `count` equal pieces of work costs this. */
export interface CostOfEach {
  statements: number;
  /** CPU time of the processes that do the work, in milliseconds. */
  processMs: number;
  /** CPU time of the database, in milliseconds. */
  databaseMs: number;
  walKb: number;
}

/** Does `work`, and adds to its result what each of `count` pieces of it cost these processes and the database. */
export async function costOf<T extends Measurement>(
  bench: BenchContext,
  processes: readonly SubjectProcess[],
  count: number,
  work: () => Promise<T>,
): Promise<T & CostOfEach> {
  const server = await bench.postgres();
  const before = await readings(server, processes);
  const result = await work();
  const after = await readings(server, processes);
  const each = (name: keyof typeof before): number => (after[name] - before[name]) / count;
  return {
    ...result,
    statements: each('statements'),
    processMs: each('processMs'),
    databaseMs: each('databaseMs'),
    walKb: each('walBytes') / 1000,
  };
}

async function readings(server: PostgresServer, processes: readonly SubjectProcess[]) {
  const cpu = processes.map((subject) => subject.call<NodeJS.CpuUsage>('cpu'));
  const statements = processes.map((subject) => subject.call<number>('statements'));
  return {
    statements: sum(await Promise.all(statements)),
    processMs: sum((await Promise.all(cpu)).map(({ user, system }) => (user + system) / 1000)),
    databaseMs: await server.cpuMs(),
    walBytes: await walBytes(server),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Returns the position in the log of the whole server. */
async function walBytes(server: PostgresServer): Promise<number> {
  return withClient(server.url, async (client) => {
    const { rows } = await client.query<{ bytes: string }>(
      `select pg_current_wal_insert_lsn() - '0/0' as bytes`,
    );
    return Number((rows[0] as { bytes: string }).bytes);
  });
}
