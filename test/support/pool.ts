import pg from 'pg';

/** Returns a pool of a test. The server may end its connections at any time, also while the pool closes. */
export function poolOf(url: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, ...options });
  // Without a listener, an idle connection that ends would end the process.
  pool.on('error', () => undefined);
  return pool;
}
