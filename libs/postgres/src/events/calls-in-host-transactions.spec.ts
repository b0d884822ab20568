import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { ListenerCall } from '@tillkit/payments/internal/store';
import type { HostDatabase } from '@tillkit/payments/types';
import {
  anEvent,
  claimCalls,
  commitEvents,
  listen,
  LISTENER,
  newAccount,
} from '../../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  letTimePass,
  PATIENT,
  type TestDatabase,
} from '../../../../test/contracts/test-database.js';
import { poolOf } from '../../../../test/support/pool.js';
import { until } from '../../../../test/support/until.js';
import { PostgresStore } from '../postgres.store.js';

const LEASE_MS = 60_000;
const LIMIT_MS = 600_000;
const SLEEPS =
  "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'";

describe('A call that ends in a transaction of the host', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let store: PostgresStore;
  let account: string;
  let call: ListenerCall;

  beforeAll(async () => {
    database = await freshDatabase();
    pool = poolOf(database.url);
    store = new PostgresStore({ ...PATIENT, connectionString: database.url });
    await store.init();
    await pool.query('create table effect_of_host (call text primary key)');
  });
  afterAll(async () => {
    await pool.end();
    await store.close();
    await database.drop();
  });

  beforeEach(async () => {
    account = newAccount();
    await listen(store, account);
    await commitEvents(store, account, anEvent(account, 'stream'));
    call = await claim();
  });

  const claims = (): Promise<ListenerCall[]> =>
    claimCalls(store, account, [LISTENER], 10, LEASE_MS);
  const claim = async (): Promise<ListenerCall> => (await claims())[0]!;

  const finish = (claimed: ListenerCall, work: (client: pg.PoolClient) => Promise<void>) =>
    store.events.finishCallIn(pool, claimed, (client) => work(client as pg.PoolClient), LIMIT_MS);

  const enter = async (client: pg.PoolClient): Promise<void> => {
    await client.query('insert into effect_of_host values ($1)', [call.eventId]);
  };

  const effects = async (): Promise<number | null> =>
    (await pool.query('select from effect_of_host where call = $1', [call.eventId])).rowCount;

  it('has ended when the transaction was committed, and is not claimed again', async () => {
    expect(await finish(call, enter)).toBe(true);
    expect(await effects()).toBe(1);
    await letTimePass(database.url, LEASE_MS);
    expect(await claims()).toEqual([]);
  });

  it('has not ended when the work fails, whose effects are rolled back', async () => {
    const failing = finish(call, async (client) => {
      await enter(client);
      throw new Error('it fails');
    });
    await expect(failing).rejects.toThrow('it fails');
    expect(await effects()).toBe(0);
    await letTimePass(database.url, LEASE_MS);
    expect(await claims()).toHaveLength(1);
  });

  it('is claimed by nobody while the transaction is open, although its lease is over', async () => {
    await finish(call, async () => {
      await letTimePass(database.url, LEASE_MS);
      expect(await claims()).toEqual([]);
    });
  });

  it('is not made when another process has claimed it since', async () => {
    await letTimePass(database.url, LEASE_MS);
    const newest = await claim();
    expect(await finish(call, enter)).toBe(false);
    expect(await effects()).toBe(0);
    expect(await finish(newest, enter)).toBe(true);
    expect(await effects()).toBe(1);
  });

  it('gets another outcome only after the end of the transaction, and only if that was rolled back', async () => {
    const retry = {
      kind: 'retry',
      inMs: 0,
      error: 'nobody knows whether it was committed',
    } as const;
    const outcome = (): Promise<boolean> => store.events.finishCall(call, retry, true);
    const failing = finish(call, async () => {
      await expect(outcome()).rejects.toMatchObject({ code: 'PAYMENTS_STORE_UNAVAILABLE' });
      throw new Error('it did not end in time');
    });
    await expect(failing).rejects.toThrow('it did not end in time');
    expect(await outcome()).toBe(true);
    const again = await claim();
    expect(await finish(again, enter)).toBe(true);
    expect(await store.events.finishCall(again, retry, true)).toBe(false);
    expect(await claims()).toEqual([]);
  });

  it('holds up no outcome of another call while its transaction is open', async () => {
    await commitEvents(store, account, anEvent(account, 'other'));
    const other = await claim();
    await finish(call, async () => {
      const held = store.events.finishCall(call, { kind: 'given_up', error: 'late' }, true);
      expect(await store.events.finishCall(other, { kind: 'done' })).toBe(true);
      await expect(held).rejects.toMatchObject({ code: 'PAYMENTS_STORE_UNAVAILABLE' });
    });
  });

  it('fails, and nothing else, when its connection breaks while no statement runs', async () => {
    const broken = finish(call, async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      const ended = new Promise((resolve) => client.once('end', resolve));
      await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await ended;
    });
    await expect(broken).rejects.toThrow(/not queryable|terminated/);
    await letTimePass(database.url, LEASE_MS);
    expect(await claims()).toHaveLength(1);
  });

  it('frees its call at once when it is rolled back while a statement of the listener hangs', async () => {
    const hanging = finish(call, async (client) => {
      client.query('select pg_sleep(600)').catch(() => undefined);
      await until(async () => (await pool.query(SLEEPS)).rowCount === 1);
      throw new Error('it did not end in time');
    });
    await expect(hanging).rejects.toThrow('it did not end in time');
    await letTimePass(database.url, LEASE_MS);
    await until(async () => (await claims()).length === 1);
  });

  it('has not ended when its listener has ended the transaction itself', async () => {
    const ended = finish(call, async (client) => {
      await client.query('rollback');
      await client.query('begin');
    });
    await expect(ended).rejects.toThrow(/not in the same one/);
    await letTimePass(database.url, LEASE_MS);
    expect(await claims()).toHaveLength(1);
  });

  it('closes its connection when it fails, so that a late statement of the listener runs nowhere', async () => {
    let given: pg.PoolClient | undefined;
    const late = finish(call, async (client) => {
      given = client;
      throw new Error('it did not end in time');
    });
    await expect(late).rejects.toThrow('it did not end in time');
    await expect(given?.query('select 1')).rejects.toThrow(/not queryable|closed/);
  });

  describe('of another database than the store', () => {
    let other: TestDatabase;
    let otherPool: pg.Pool;
    beforeEach(async () => {
      other = await freshDatabase();
      otherPool = poolOf(other.url);
    });
    afterEach(async () => {
      await otherPool.end();
      await other.drop();
    });

    it('is refused at the start', async () => {
      await expect(store.events.checkTransactions(pool)).resolves.toBeUndefined();
      await expect(store.events.checkTransactions(otherPool)).rejects.toThrow(
        /`transactions` begins transactions in another database than the one of the store/,
      );
    });
  });

  it('is refused at the start when nothing begins transactions', async () => {
    const client = await pool.connect();
    const check = store.events.checkTransactions(client as unknown as HostDatabase);
    await expect(check).rejects.toThrow(/`transactions` is the Client of pg, which begins no/);
    client.release();
  });
});
