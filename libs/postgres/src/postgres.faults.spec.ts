import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  PaymentsStore,
  StoreUnavailableError,
  type NewDelivery,
} from '@tillkit/payments/internal/store';
import {
  aDelivery,
  aPayment,
  aSum,
  aTransaction,
  anEvent,
  changed,
  claimCalls,
  newAccount,
  recorded,
  times,
  commitEvents,
  transactionChange,
  commitTo,
} from '../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  PATIENT,
  type TestDatabase,
} from '../../../test/contracts/test-database.js';
import { poolOf } from '../../../test/support/pool.js';
import { PostgresConfigurationError } from './postgres.errors.js';
import { PostgresStore } from './postgres.store.js';

let database: TestDatabase;
let store: PostgresStore;

async function sql(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return await client.query(text, values);
  } finally {
    await client.end();
  }
}

/** Ends every connection of the stores to this database, as a restart of the server does. */
const endConnections = (): Promise<pg.QueryResult> =>
  sql(`select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`);

beforeAll(async () => {
  database = await freshDatabase();
  store = new PostgresStore({ ...PATIENT, connectionString: database.url });
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

describe('a value that PostgreSQL cannot store', () => {
  const hostile = 'x\0y\ud83d';

  it('does not stop a change: U+0000 and broken surrogates in a payment, its transaction, event and history', async () => {
    const account = newAccount();
    await store.events.registerListeners(
      account,
      [{ event: 'delivery.unrecognised', listener: 'a' }],
      'start',
    );
    const payment = await recorded(store, aPayment(account));
    const transaction = aTransaction({ senderFirstName: hostile, raw: { [hostile]: [hostile] } });
    const after = await changed(
      store,
      payment,
      { state: 'failed', errors: [hostile], causeDetail: hostile, transaction },
      {
        history: [{ via: 'callback', what: 'note', detail: hostile }],
        events: [anEvent(account, hostile)],
      },
    );
    expect(after).toMatchObject({ errors: ['x␀y\ufffd'], causeDetail: 'x␀y\ufffd' });
    expect(await claimCalls(store, account, ['a'], 1, 1_000)).toMatchObject([
      { stream: 'x␀y\ufffd' },
    ]);
  });

  it('still distinguishes transactions whose references differ only in it', async () => {
    const account = newAccount();
    for (const reference of ['R\0', 'R␀']) {
      expect(await commitTo(store, transactionChange(account, reference, null))).toBeInstanceOf(
        Date,
      );
    }
    expect(await store.transactions.find(account, 'R\0')).not.toBeNull();
    const { items } = await store.transactions.list(account, { reference: 'R\0' }, { limit: 10 });
    expect(items).toHaveLength(1);
  });

  it('does not change a delivery, whose bytes are stored as they are', async () => {
    const input = aDelivery(newAccount(), {
      body: Buffer.from('{"a":"\\u0000\0"}'),
      resource: hostile,
      resourceId: hostile,
    });
    await store.deliveries.store(input);
    const [claimed] = await store.deliveries.claim([input.account], 'webhook', 1, 1_000);
    expect(claimed?.body).toEqual(input.body);
    if (claimed) await store.deliveries.finish(claimed, { kind: 'given_up', error: hostile });
  });

  it('is no reference, stream or amount of any length: all of them can be stored', async () => {
    const account = newAccount();
    const long = Array.from({ length: 50_000 }, () => Math.random().toString(36)[2] ?? '').join('');
    const amountMinor = '1'.repeat(200_000);
    const sums = [aSum({ amountMinor, currency: long, payerHash: long })];
    expect(await commitTo(store, transactionChange(account, long, null, sums))).toBeInstanceOf(
      Date,
    );
    const money = { currency: long, amountMinor, payerHash: long };
    const untied = { ...money, from: new Date(0), to: new Date() };
    expect(await store.transactions.findUntied(account, untied)).toHaveLength(1);
    const bare = {
      id: 'bare',
      resource: 'incoming-payments',
      platformId: long,
      sentAt: new Date(1),
    } as const;
    await store.bareRequests.keep(account, { ...bare, money });
    const sent = { sentFrom: new Date(0), anybodySentFrom: new Date(0), sentTo: new Date(8.64e15) };
    const asked = { ...money, ...sent };
    expect(await store.bareRequests.findCandidates(account, asked)).toHaveLength(1);
    expect(await store.operations.findCandidates(account, asked)).toEqual([]);
    await commitEvents(store, account, anEvent(account, long));
    await store.anomalies.record(account, long, long);
    expect(await store.anomalies.list(account)).toMatchObject([{ count: 1 }]);
  });

  it('becomes null if it is a time outside the calendar', async () => {
    const sums = [aSum({ originatedAt: new Date(-8.64e15) })];
    const account = newAccount();
    expect(await commitTo(store, transactionChange(account, 'R', null, sums))).toBeInstanceOf(Date);
    expect((await store.transactions.find(account, 'R'))?.sums).toMatchObject([
      { originatedAt: null },
    ]);
  });
});

describe('numbers', () => {
  it('that are too large for a double stay exact', async () => {
    const account = newAccount();
    const payment = await recorded(store, aPayment(account, { amountMinor: '9007199254740993' }));
    expect((await store.operations.find(account, payment.id))?.amountMinor).toBe(
      '9007199254740993',
    );
  });

  it('and times are read correctly even if the host has changed the type parsers of pg', async () => {
    const kept = [20, 1700, 1184, 3802, 17].map(
      (oid) => [oid, pg.types.getTypeParser(oid)] as const,
    );
    for (const [oid] of kept) pg.types.setTypeParser(oid, () => 'spoiled');
    const pool = poolOf(database.url);
    const hosted = new PostgresStore({ ...PATIENT, pool });
    try {
      const input = aPayment(newAccount());
      await recorded(hosted, input);
      const found = await hosted.operations.find(input.account, input.id);
      expect(found).toMatchObject({ metadata: input.metadata, version: 1 });
      expect(found?.createdAt.getTime()).not.toBeNaN();
      const delivery = aDelivery(input.account);
      await hosted.deliveries.store(delivery);
      expect(await hosted.deliveries.claim([input.account], 'webhook', 1, 1_000)).toMatchObject([
        { body: delivery.body, attempts: 1 },
      ]);
    } finally {
      for (const [oid, parser] of kept) pg.types.setTypeParser(oid, parser);
      await hosted.close();
      await pool.end();
    }
  });
});

describe('one bad delivery among many', () => {
  it('does not affect the deliveries that are stored with it', async () => {
    const account = newAccount();
    const input = times(40, () => aDelivery(account));
    const bad = { ...aDelivery(account), kind: 'neither' } as unknown as NewDelivery;
    const results = await Promise.allSettled(
      [...input.slice(0, 20), bad, ...input.slice(20)].map((each) => store.deliveries.store(each)),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(results[20]).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    expect(await store.deliveries.claim([account], 'webhook', 100, 1_000)).toHaveLength(40);
  });
});

describe('when the database', () => {
  it('ends its connections, the process continues and later calls get new ones', async () => {
    await Promise.all(times(10, () => store.operations.find('a', 'b')));
    await endConnections();
    // The pool may return a connection before it notices its end. Such a call fails with the error of the contract.
    const results = await Promise.allSettled(times(10, () => store.operations.find('a', 'b')));
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(StoreUnavailableError);
    }
    expect(await store.operations.find('a', 'b')).toBeNull();
  });

  it('ends connections during work, only that work fails', async () => {
    const account = newAccount();
    const deliveries = times(200, () => aDelivery(account));
    const storing = Promise.allSettled(deliveries.map((each) => store.deliveries.store(each)));
    await endConnections();
    const results = await storing;
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(StoreUnavailableError);
    }
    // The pool may return an ended connection. A failed delivery is sent again, as the platform does.
    const storeAtLast = async (delivery: NewDelivery, tries = 20): Promise<unknown> =>
      store.deliveries.store(delivery).catch((error: unknown) => {
        if (!(error instanceof StoreUnavailableError) || tries === 0) throw error;
        return storeAtLast(delivery, tries - 1);
      });
    await Promise.all(deliveries.map((each) => storeAtLast(each)));
    const claimed = await store.deliveries.claim([account], 'webhook', 500, 1_000);
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(200);
  });

  it('is unavailable, every method throws an error that says so, without the password', async () => {
    const away = new PostgresStore({
      connectionString: 'postgres://tillkit:very-secret@127.0.0.1:1/shop',
    });
    for (const call of [
      () => away.init(),
      () => away.deliveries.store(aDelivery('a')),
      () => away.ledger.commit({ account: 'a', events: [], history: [] }),
    ]) {
      const error = await call().then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect((error as StoreUnavailableError).changedNothing).toBe(true);
      expect((error as Error).message).toMatch(/ECONNREFUSED/);
      expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/very-secret/);
    }
    expect(inspect(away, { depth: 10, showHidden: true })).not.toMatch(/very-secret/);
    await away.close();
    await expect(away.anomalies.record('a', 'b', 'c')).rejects.toThrow(StoreUnavailableError);
  });

  it('has an invalid URL, no error contains the URL', () => {
    let error: unknown;
    try {
      new PostgresStore({ connectionString: 'postgres://u:very-secret@[bad/x' });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(PostgresConfigurationError);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/very-secret/);
  });

  it('refuses a value, the error names the constraint and no row', async () => {
    const bad = { ...aDelivery(newAccount()), verifiedBy: 'nobody' } as unknown as NewDelivery;
    const error: unknown = await store.deliveries.store(bad).catch((reason: unknown) => reason);
    expect((error as Error).message).toContain('delivery_verified_by_check');
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(bad.account);
  });

  it('does not answer in time, the call fails and its connection is closed', async () => {
    const hasty = new PostgresStore({ connectionString: database.url, statementTimeoutMs: 4_000 });
    await hasty.init();
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query('begin; lock table tillkit.anomaly');
    await expect(hasty.anomalies.record('a', 'b', 'c')).rejects.toThrow(StoreUnavailableError);
    await blocker.query('rollback');
    await blocker.end();
    await hasty.anomalies.list('a');
    await hasty.close();
  });
});

describe('a pool of the host', () => {
  it('stays open when the store is closed, without listeners of ours', async () => {
    const pool = new pg.Pool({ connectionString: database.url });
    const hosted: PaymentsStore = new PostgresStore({ ...PATIENT, pool });
    await hosted.init();
    expect(pool.listenerCount('error')).toBe(1);
    await (hosted as PostgresStore).close();
    expect(pool.listenerCount('error')).toBe(0);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    // The database may be dropped before the server has seen that the connections are closed.
    pool.on('error', () => undefined);
    await pool.end();
  });
});
