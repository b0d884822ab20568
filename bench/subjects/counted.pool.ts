import pg from 'pg';

/** The connections of one merchant to its database, however it divides them. */
export const CONNECTIONS = 20;

/** A pool, and the number of statements that its connections have sent. */
export interface CountedPool {
  pool: pg.Pool;
  statements(): number;
}

export function countedPool(connectionString: string, max = 10): CountedPool {
  let count = 0;
  class CountedClient extends pg.Client {
    override query(...given: unknown[]): never {
      count += 1;
      return (super.query as (...all: unknown[]) => never)(...given);
    }
  }
  const pool = new pg.Pool({
    connectionString,
    max,
    keepAlive: true,
    Client: CountedClient,
  } as pg.PoolConfig);
  return { pool, statements: () => count };
}
