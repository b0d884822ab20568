import type { BenchContext } from './bench.context.js';
import { withClient } from './postgres.server.js';
import type { Measurement } from './rounds.js';
import type { SubjectProcess } from './subject.process.js';

/** What `count` payments cost, each: statements, CPU of the process and of the database in milliseconds, kilobytes of WAL. */
export async function costOf<T extends Measurement>(
  bench: BenchContext,
  merchant: SubjectProcess,
  databaseUrl: string,
  count: number,
  work: () => Promise<T>,
): Promise<Measurement> {
  const before = await readings(bench, merchant, databaseUrl);
  const result = await work();
  const after = await readings(bench, merchant, databaseUrl);
  const each = (name: keyof typeof before): number => (after[name] - before[name]) / count;
  return {
    ...result,
    statements: each('statements'),
    processMs: each('processMs'),
    databaseMs: each('databaseMs'),
    walKb: each('walBytes') / 1000,
  };
}

async function readings(bench: BenchContext, merchant: SubjectProcess, databaseUrl: string) {
  const { user, system } = await merchant.call<NodeJS.CpuUsage>('cpu');
  return {
    statements: await merchant.call<number>('statements'),
    processMs: (user + system) / 1000,
    databaseMs: await (await bench.postgres()).cpuMs(),
    walBytes: await walBytes(databaseUrl),
  };
}

async function walBytes(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ bytes: string }>(
      `select pg_current_wal_insert_lsn() - '0/0' as bytes`,
    );
    return Number((rows[0] as { bytes: string }).bytes);
  });
}
