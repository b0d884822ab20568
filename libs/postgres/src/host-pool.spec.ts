import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { StoreUnavailableError, type HostTransaction } from '@tillkit/payments/internal/store';
import { aPayment, newAccount, record, times } from '../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  PATIENT,
  type TestDatabase,
} from '../../../test/contracts/test-database.js';
import { transactionOn } from '../../../test/support/host-libraries.js';
import { poolOf } from '../../../test/support/pool.js';
import { until } from '../../../test/support/until.js';
import { Database } from './postgres-database.js';
import { resolvePostgresOptions } from './postgres.options.js';
import { PostgresStore } from './postgres.store.js';

const CONNECTIONS = 5;

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

describe.each([
  ['without a limit of its own', {}],
  ['with a shorter limit of its own', { connectionTimeoutMillis: 3_000 }],
])('A pool of the host %s', (_, own) => {
  let pool: pg.Pool;
  let store: PostgresStore;

  beforeEach(async () => {
    pool = poolOf(database.url, { max: CONNECTIONS, ...own });
    store = new PostgresStore({ ...PATIENT, pool, connectTimeoutMs: 5_000 });
    await store.init();
  });
  afterEach(async () => {
    await store.close();
    await pool.end();
  });

  it('whose transactions all record without it fails each of them, names the cause and the cure, and works again', async () => {
    const account = newAccount();
    let begun = 0;
    let go = (): void => undefined;
    const all = new Promise<void>((resolve) => (go = resolve));
    const transactions = times(CONNECTIONS, () =>
      transactionOn(pool, async () => {
        begun += 1;
        if (begun === CONNECTIONS) go();
        await all;
        await record(store, aPayment(account));
      }),
    );
    for (const outcome of await Promise.allSettled(transactions)) {
      const { reason } = outcome as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(StoreUnavailableError);
      expect(reason).toMatchObject({
        changedNothing: true,
        message: expect.stringMatching(
          /`pool` gave no connection in time \(5 of at most 5 are open\).*record\(\) with \{ transaction \}/,
        ),
      });
    }
    expect((await record(store, aPayment(account))).kind).toBe('recorded');
    await until(() => pool.idleCount === pool.totalCount);
    expect(pool.waitingCount).toBe(0);
  });
});

describe('A transaction', () => {
  it('of the host whose query never ends fails the recording, and says that it must be rolled back', async () => {
    const store = new PostgresStore({ connectionString: database.url, statementTimeoutMs: 2_000 });
    await store.init();
    const transaction: HostTransaction = { query: () => new Promise(() => undefined) };
    const recording = store.operations.record(aPayment(newAccount()), {
      sendBeforeMs: 60_000,
      transaction,
    });
    await expect(recording).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      changedNothing: false,
      message: expect.stringMatching(/`transaction` has not answered in 2000 ms.*Roll it back/),
    });
    await store.close();
  });

  it('of a migration that waits for one that never ends fails, and leaves no statement at the server', async () => {
    const pool = poolOf(database.url);
    const holder = await pool.connect();
    await holder.query('select pg_advisory_lock(1)');
    const own = new Database(resolvePostgresOptions({ connectionString: database.url }));
    const waiting = own.transaction(
      (execute) => execute('select pg_advisory_xact_lock(1)', []),
      300,
    );
    await expect(waiting).rejects.toBeInstanceOf(StoreUnavailableError);
    await until(async () => {
      const { rows } = await holder.query<{ n: number }>(
        `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`,
      );
      return rows[0]?.n === 0;
    });
    await own.close();
    holder.release();
    await pool.end();
  });

  it('that fails leaves nothing behind, and its pool works again', async () => {
    const pool = poolOf(database.url, { max: 1 });
    const own = new Database(resolvePostgresOptions({ pool }));
    await expect(
      own.transaction(async (execute) => {
        await execute('create table left_behind (id integer)', []);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await own.direct(`select to_regclass('left_behind')::text as name`, [])).toEqual([
      { name: null },
    ]);
    await pool.end();
  });
});
