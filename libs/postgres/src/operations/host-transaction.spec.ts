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
import { PostgresStore } from '../postgres.store.js';

/** The result formats of libraries, each around the same connection. */
const libraries: [string, (client: pg.PoolClient) => HostTransaction][] = [
  ['bare pg', (client) => client],
  [
    'TypeORM, which gives bare rows,',
    (client) => ({
      query: async (text, values) => (await client.query(text, values)).rows as unknown,
    }),
  ],
  [
    'TypeORM, which gives rows and count of a change,',
    (client) => ({
      query: async (text, values) => {
        const { rows, rowCount } = await client.query(text, values);
        return [rows, rowCount];
      },
    }),
  ],
  [
    'Kysely, whose result has more beside the rows,',
    (client) => ({
      query: async (text, values) => ({
        rows: (await client.query(text, values)).rows,
        numAffectedRows: 1n,
      }),
    }),
  ],
  [
    'Drizzle, which reads timestamps and numbers as text,',
    (client) => ({
      query: (text, values) =>
        client.query({ text, values, types: { getTypeParser: () => (value: string) => value } }),
    }),
  ],
];

let database: TestDatabase;
let pool: pg.Pool;
let store: PostgresStore;
beforeAll(async () => {
  database = await freshDatabase();
  pool = poolOf(database.url);
  store = new PostgresStore({ ...PATIENT, connectionString: database.url });
  await store.init();
  await pool.query('create table shop_order (id text primary key)');
});
afterAll(async () => {
  await pool.end();
  await store.close();
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

describe.each(libraries)('a payment that is recorded in a transaction of %s', (_, wrap) => {
  let account: string;
  beforeEach(() => {
    account = newAccount();
  });

  it('exists and is due after the commit, and not before', async () => {
    const payment = aPayment(account, { inBackground: true });
    await inTransaction(async (client) => {
      expect(await join(payment, wrap(client))).toMatchObject({
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
        await join(payment, wrap(client));
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
        wrap(client),
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
      expect(await join(rival, wrap(client))).toMatchObject({
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

  it('gets an error that names what is missing when its query returns no rows', async () => {
    const transaction = { query: async () => undefined };
    await expect(join(aPayment(newAccount()), transaction)).rejects.toThrow(
      /must resolve with the rows/,
    );
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
