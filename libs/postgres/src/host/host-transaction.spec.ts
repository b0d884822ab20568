import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type {
  HostTransaction,
  NewPayment,
  OperationRecord,
  RecordResult,
} from '@tillkit/payments/internal/store';
import { aPayment, newAccount, record } from '../../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  PATIENT,
  type TestDatabase,
} from '../../../../test/contracts/test-database.js';
import { transactionOn } from '../../../../test/support/host-libraries.js';
import { poolOf } from '../../../../test/support/pool.js';
import { PostgresConfigurationError } from '../postgres.errors.js';
import { PostgresStore } from '../postgres.store.js';

let database: TestDatabase;
let pool: pg.Pool;
let store: PostgresStore;
/** Waits for 0.1 s. */
let impatient: PostgresStore;
beforeAll(async () => {
  database = await freshDatabase();
  pool = poolOf(database.url);
  store = new PostgresStore({ ...PATIENT, connectionString: database.url });
  await store.init();
  impatient = new PostgresStore({ connectionString: database.url, statementTimeoutMs: 200 });
  await pool.query('create table shop_order (id text primary key)');
});
afterAll(async () => {
  await pool.end();
  await Promise.all([store.close(), impatient.close()]);
  await database.drop();
});

const inTransaction = <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
  transactionOn(pool, work);

const join = (payment: NewPayment, transaction: HostTransaction): Promise<RecordResult> =>
  store.operations.record(payment, { sendBeforeMs: 60_000, transaction });

const claim = (account: string): Promise<OperationRecord[]> =>
  store.operations.claimDue([account], {
    followed: false,
    limit: 10,
    leaseMs: 1_000,
    sendLeaseMs: 1_000,
  });

describe('a payment that is recorded in the transaction of the host', () => {
  let account: string;
  beforeEach(() => {
    account = newAccount();
  });

  it('exists and is due after the commit, and not before', async () => {
    const payment = aPayment(account, { inBackground: true });
    await inTransaction(async (client) => {
      expect(await join(payment, client)).toMatchObject({
        kind: 'recorded',
        operation: { id: payment.id, state: 'created', version: 1, metadata: payment.metadata },
      });
      expect(await claim(account)).toEqual([]);
    });
    expect(await claim(account)).toMatchObject([{ id: payment.id }]);
  });

  it('does not exist after a rollback', async () => {
    const payment = aPayment(account);
    await expect(
      inTransaction(async (client) => {
        await join(payment, client);
        throw new Error('the order was refused');
      }),
    ).rejects.toThrow('the order was refused');
    expect(await store.operations.find(account, payment.id)).toBeNull();
    expect((await record(store, payment)).kind).toBe('recorded');
  });

  it('is the existing payment for a repeated key, and the transaction continues', async () => {
    const first = aPayment(account);
    await record(store, first);
    const order = `order-${first.id}`;
    await inTransaction(async (client) => {
      const again = await join(
        { ...aPayment(account), idempotencyKey: first.idempotencyKey },
        client,
      );
      expect(again).toMatchObject({
        kind: 'existing',
        operation: {
          id: first.id,
          createdAt: expect.any(Date),
          metadata: first.metadata,
          version: 1,
        },
      });
      const rival = aPayment(account, { subscriber: first.subscriber });
      expect(await join(rival, client)).toMatchObject({
        kind: 'in_flight',
        operations: [{ id: first.id }],
      });
      await client.query('insert into shop_order values ($1)', [order]);
    });
    expect((await pool.query('select from shop_order where id = $1', [order])).rowCount).toBe(1);
  });
});

describe("the host's transaction", () => {
  it('gets its own errors unchanged', async () => {
    const failure = Object.assign(new Error('could not serialize access'), { code: '40001' });
    const transaction = { query: () => Promise.reject(failure) };
    await expect(join(aPayment(newAccount()), transaction)).rejects.toBe(failure);
  });

  it.each<[string, unknown, RegExp]>([
    ['a text', 'begin', /`transaction` is a string, which is no transaction.*docs\/databases/],
    ['an object of the host', { insert: () => null }, /`transaction` is an object, which is no/],
  ])('is refused by name when it is %s', async (_, given, text) => {
    const recording = join(aPayment(newAccount()), given as HostTransaction);
    await expect(recording).rejects.toThrow(PostgresConfigurationError);
    await expect(recording).rejects.toThrow(text);
  });

  it('is refused when it is a pool, whose statements are transactions of their own', async () => {
    const recording = join(aPayment(newAccount()), pool as unknown as HostTransaction);
    await expect(recording).rejects.toThrow(
      /`transaction` is the BoundPool of pg, which is no open transaction.*Pass the client on which you ran `begin`/,
    );
  });

  it('is refused before anything is written when its client has not begun one', async () => {
    const payment = aPayment(newAccount());
    const client = await pool.connect();
    try {
      await expect(join(payment, client)).rejects.toThrow(
        /`transaction`, the Client of pg, is in no open transaction.*Nothing was written/,
      );
    } finally {
      client.release();
    }
    expect(await store.operations.find(payment.account, payment.id)).toBeNull();
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'undefined'],
    ['no rows', [], 'an empty array'],
    ['rows with other names', { rows: [{ RESULT: '1' }] }, 'an object with the keys rows'],
    ['rows that are lists', [[['1']]], 'an array of an array of an array of string'],
  ])('gets an error with the shape when its query gives %s', async (_, answer, shape) => {
    const recording = join(aPayment(newAccount()), { query: async () => answer });
    await expect(recording).rejects.toThrow(`It gave ${shape}.`);
  });

  it('goes on after a payment that would wait for another open transaction', async () => {
    const account = newAccount();
    const order = `order-${account}`;
    await inTransaction(async (client) => {
      const payment = aPayment(account);
      await join(payment, client);
      await inTransaction(async (rival) => {
        const recording = impatient.operations.record(
          { ...payment, id: 'second' },
          { sendBeforeMs: 60_000, transaction: rival },
        );
        await expect(recording).rejects.toMatchObject({ code: 'PAYMENTS_STORE_UNAVAILABLE' });
        await rival.query('insert into shop_order values ($1)', [order]);
      });
    });
    expect((await pool.query('select from shop_order where id = $1', [order])).rowCount).toBe(1);
  });

  it('waits for another transaction that records the same key, and returns its payment', async () => {
    const account = newAccount();
    const payment = aPayment(account);
    const second = await inTransaction(async (client) => {
      await join(payment, client);
      const waiting = record(store, { ...payment, id: 'second' });
      // The recording cannot end before this transaction.
      expect(await Promise.race([waiting, pool.query('select 1').then(() => 'waits')])).toBe(
        'waits',
      );
      return { waiting };
    });
    expect(await second.waiting).toMatchObject({ kind: 'existing', operation: { id: payment.id } });
  });

  it.each<[string, (first: NewPayment) => Partial<NewPayment>]>([
    ['key', ({ idempotencyKey }) => ({ idempotencyKey })],
    ['customer', ({ subscriber }) => ({ subscriber })],
  ])('gets the error to try again when it cannot see a payment of the same %s', async (_, same) => {
    const account = newAccount();
    const unseen = aPayment(account);
    const late = inTransaction(async (client) => {
      await client.query('set transaction isolation level repeatable read');
      await client.query('select from shop_order');
      await record(store, unseen);
      return join(aPayment(account, same(unseen)), client);
    });
    await expect(late).rejects.toMatchObject({ code: '40001' });
  });
});
