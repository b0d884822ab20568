import type { HostTransaction } from '@tillkit/payments';
import type pg from 'pg';
import { poolOf } from './pool.js';

/** The database library of a host, used as the documentation of the library says. */
export interface HostLibrary {
  /** Commits when the work resolves, and rolls back when it rejects. The work gets the transaction as the guide shows it. */
  inTransaction<T>(work: (transaction: HostTransaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface NamedLibrary {
  readonly library: string;
  open(url: string): Promise<HostLibrary>;
}

/** Commits when the work resolves, and rolls back when it rejects. */
export async function transactionOn<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

async function bare(url: string): Promise<HostLibrary> {
  const pool = poolOf(url);
  return {
    inTransaction: (work) => transactionOn(pool, work),
    close: () => pool.end(),
  };
}

// The compiler does not follow this path, because it has the types of these libraries only in npm run test:hosts.
const OTHERS: string = '../hosts/object-mappers.js';

/** The libraries of npm run test:hosts are there only in that run. */
export async function hostLibraries(): Promise<readonly NamedLibrary[]> {
  const own = [{ library: 'pg', open: bare }];
  if (process.env['TILLKIT_HOST_LIBRARIES'] !== 'all') return own;
  const others = (await import(OTHERS)) as { OBJECT_MAPPERS: readonly NamedLibrary[] };
  return [...own, ...others.OBJECT_MAPPERS];
}
