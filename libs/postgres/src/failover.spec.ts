import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { aPayment, newAccount, record } from '../../../test/contracts/store-under-test.js';
import { freshDatabase, type TestDatabase } from '../../../test/contracts/test-database.js';
import { until } from '../../../test/support/until.js';
import { PostgresStore } from './postgres.store.js';

describe('A pool whose connections', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let store: PostgresStore;

  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  beforeEach(async () => {
    pool = new pg.Pool({ connectionString: database.url, max: 4 });
    pool.on('error', () => undefined);
    store = new PostgresStore({ pool, statementTimeoutMs: 6_000 });
    await store.operations.find('a', 'b');
  });
  afterEach(async () => {
    await store.close();
    await pool.end();
  });

  const onAll = async (work: (client: pg.PoolClient) => Promise<unknown>): Promise<void> => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
    await Promise.all(clients.map(work));
    for (const client of clients) client.release();
  };

  it('have become read-only replaces them all, and no recording fails', async () => {
    await onAll((client) => client.query('set session characteristics as transaction read only'));
    const account = newAccount();
    for (let n = 0; n < 6; n += 1)
      expect((await record(store, aPayment(account))).kind).toBe('recorded');
    await onAll(async (client) => {
      const { rows } = await client.query('show default_transaction_read_only');
      expect(rows[0]).toEqual({ default_transaction_read_only: 'off' });
    });
  });

  it('wait for a lock leaves no statement at the server after it has given up', async () => {
    const locking = new pg.Client({ connectionString: database.url });
    await locking.connect();
    await locking.query('begin; lock table tillkit.operation in access exclusive mode');
    const waiting = async (): Promise<number> => {
      const { rows } = await locking.query(
        "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock'",
      );
      return (rows[0] as { n: number }).n;
    };
    const reads = Array.from({ length: 3 }, () => store.operations.findMany('a', ['b']));
    await until(async () => (await waiting()) > 0);
    await Promise.allSettled(reads);
    await until(async () => (await waiting()) === 0);
    await locking.query('rollback');
    await locking.end();
  });
});
