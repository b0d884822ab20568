import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  StoreUnavailableError,
  type NewPayment,
  type PaymentRecord,
  type RecordResult,
} from '@tillkit/payments/store';
import {
  aPayment,
  newAccount,
  paymentChange,
  times,
  transactionChange,
} from '../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  PATIENT,
  type TestDatabase,
} from '../../../test/contracts/test-database.js';
import { Database } from './postgres.database.js';
import { resolvePostgresOptions } from './postgres.options.js';
import { PostgresStore } from './postgres.store.js';
import { referenceHash } from './rows/transaction.row.js';
import { LedgerTable } from './tables/ledger.table.js';
import { PaymentsTable, recordingLimits, type RecordingLimits } from './tables/payments.table.js';

const SEND_BEFORE = { sendBeforeMs: 60_000 };

let database: TestDatabase;
let store: PostgresStore;
/** The host's own connection, with a transaction that stays open as long as a test wants. */
let host: pg.Client;
let account: string;

beforeAll(async () => {
  database = await freshDatabase();
  store = new PostgresStore({ ...PATIENT, connectionString: database.storeUrl });
  await store.init();
}, 60_000);
afterAll(async () => {
  await store.close();
  await database.drop();
});

beforeEach(async () => {
  account = newAccount();
  host = new pg.Client({ connectionString: database.url });
  await host.connect();
  await host.query('begin');
});
afterEach(() => host.end());

const recordInHost = (payment: NewPayment): Promise<RecordResult> =>
  store.recordPayment(payment, { ...SEND_BEFORE, transaction: host });

const record = (payment: NewPayment): Promise<RecordResult> =>
  store.recordPayment(payment, SEND_BEFORE);

/** What has become of a promise, once all that is already on its way has come. */
async function outcomeOf(promise: Promise<RecordResult>): Promise<string> {
  return Promise.race([promise.then(({ kind }) => kind), host.query('select').then(() => 'waits')]);
}

async function observe(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return await client.query(text, values);
  } finally {
    await client.end();
  }
}

/** Until as many payments, each tried alone, wait for a lock. */
async function untilWaitingAlone(count: number): Promise<void> {
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%record_payment(%'`;
  while ((await observe(waiting)).rowCount !== count) await new Promise(setImmediate);
}

let opened: Database[] = [];
afterEach(async () => {
  await Promise.all(opened.map((each) => each.close()));
  opened = [];
});

/** A table with limits of its own. */
const limited = (limits: Partial<RecordingLimits>, statementTimeoutMs = 60_000): PaymentsTable => {
  const options = { connectionString: database.url, statementTimeoutMs };
  const own = new Database(resolvePostgresOptions(options));
  opened.push(own);
  return new PaymentsTable(
    own,
    { maxQueued: 100, timeoutMs: 60_000 },
    { ...recordingLimits(60_000), ...limits },
  );
};

const keyOf = ({ idempotencyKey }: NewPayment): Pick<NewPayment, 'idempotencyKey'> => ({
  idempotencyKey,
});

describe('while a transaction of the host stays open', () => {
  it('requests of its key and its customer wait for it, and nobody else does', async () => {
    const open = aPayment(account);
    await recordInHost(open);
    const sameKey = record(aPayment(account, { idempotencyKey: open.idempotencyKey }));
    const sameCustomer = record(aPayment(account, { subscriber: open.subscriber }));
    const others = times(20, () => record(aPayment(account)));
    const later = Promise.all(others).then(() =>
      Promise.all(times(20, () => record(aPayment(account)))),
    );
    const recorded = [...(await Promise.all(others)), ...(await later)];
    expect(new Set(recorded.map(({ kind }) => kind))).toEqual(new Set(['recorded']));
    expect(await outcomeOf(sameKey)).toBe('waits');
    expect(await outcomeOf(sameCustomer)).toBe('waits');
    await host.query('commit');
    expect(await sameKey).toMatchObject({ kind: 'existing', payment: { id: open.id } });
    expect(await sameCustomer).toEqual({ kind: 'in_flight', paymentId: open.id });
  }, 60_000);

  it('and is rolled back, those who waited are recorded', async () => {
    const open = aPayment(account);
    await recordInHost(open);
    const waiting = [
      record(aPayment(account, { idempotencyKey: open.idempotencyKey })),
      record(aPayment(account, { subscriber: open.subscriber })),
    ];
    expect((await record(aPayment(account))).kind).toBe('recorded');
    await untilWaitingAlone(2);
    await host.query('rollback');
    for (const each of waiting) expect((await each).kind).toBe('recorded');
  }, 60_000);

  it('whoever asks for its payment again and again costs nobody anything', async () => {
    const open = aPayment(account);
    await recordInHost(open);
    const again = (): Promise<RecordResult> => record({ ...aPayment(account), ...keyOf(open) });
    const first = again();
    await untilWaitingAlone(1);
    const more = times(30, again);
    for (const _ of more) expect((await record(aPayment(account))).kind).toBe('recorded');
    await untilWaitingAlone(1);
    await host.query('commit');
    for (const each of [first, ...more]) {
      expect(await each).toMatchObject({ kind: 'existing', payment: { id: open.id } });
    }
  }, 60_000);

  it('a payment that may be made in parallel does not wait for its customer', async () => {
    const open = aPayment(account);
    await recordInHost(open);
    const { subscriber } = open;
    const waiting = record(aPayment(account, { subscriber }));
    await untilWaitingAlone(1);
    const parallel = await record(aPayment(account, { subscriber, allowParallel: true }));
    expect(parallel.kind).toBe('recorded');
    await host.query('commit');
    expect((await waiting).kind).toBe('in_flight');
  }, 60_000);

  it('those who stand behind one that is refused are tried themselves, or refused with it', async () => {
    const open = aPayment(account);
    await recordInHost(open);
    const table = limited({ groupWaitMs: 1, aloneWaitMs: 300 });
    const again = (): Promise<RecordResult> =>
      table.record({ ...aPayment(account), ...keyOf(open) }, SEND_BEFORE);
    const results = await Promise.allSettled(times(5, again));
    for (const result of results) {
      expect(result).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    }
    await host.query('rollback');
    expect((await again()).kind).toBe('recorded');
    await table.drain();
  }, 60_000);

  it('who asks again for what is recorded already does not wait for its customer', async () => {
    const first = aPayment(account, { allowParallel: true });
    await record(first);
    const { id } = first;
    // the host's transaction has the customer, and would be refused: it finds the first
    await recordInHost(aPayment(account, { subscriber: first.subscriber }));
    expect(await record({ ...first, id: 'again', allowParallel: false })).toMatchObject({
      kind: 'existing',
      payment: { id },
    });
    await host.query('rollback');
  });

  it('its own limits are as it set them, after a payment was recorded in it', async () => {
    await host.query(`set local lock_timeout = '1234ms'`);
    await recordInHost(aPayment(account));
    expect((await host.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '1234ms' }]);
    expect((await host.query('show enable_seqscan')).rows).toEqual([{ enable_seqscan: 'on' }]);
    await host.query('rollback');
  });
});

describe('what could not be recorded in time', () => {
  it('is refused in words, and is not recorded later', async () => {
    const held = aPayment(account);
    await recordInHost(held);
    const table = limited({ aloneWaitMs: 20 });
    const late = aPayment(account, { subscriber: held.subscriber });
    const failure: unknown = await table.record(late, SEND_BEFORE).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreUnavailableError);
    expect((failure as Error).message).toMatch(/another transaction.*key.*customer/);
    await host.query('rollback');
    expect(await table.find(account, late.id)).toBeNull();
    expect(await table.record(late, SEND_BEFORE)).toMatchObject({ kind: 'recorded' });
  });

  it.each(['commit', 'rollback'])(
    'is not recorded when it has its locks at last, after a %s',
    async (end) => {
      const held = aPayment(account);
      await recordInHost(held);
      const table = limited({ aloneWaitMs: 60_000, lateMs: 20 });
      const late = aPayment(account, { subscriber: held.subscriber });
      const recording = table.record(late, SEND_BEFORE).catch((error: unknown) => error);
      await untilWaitingAlone(1);
      await host.query('select pg_sleep(0.05)');
      await host.query(end);
      expect(await recording).toBeInstanceOf(StoreUnavailableError);
      expect(await table.find(account, late.id)).toBeNull();
    },
  );

  it('is not recorded by a statement that its caller has given up', async () => {
    const held = aPayment(account);
    await recordInHost(held);
    const late = aPayment(account, { idempotencyKey: held.idempotencyKey });
    const hasty = limited({ groupWaitMs: 60_000, aloneWaitMs: 60_000, lateMs: 40 }, 50);
    await expect(hasty.record(late, SEND_BEFORE)).rejects.toThrow(StoreUnavailableError);
    await host.query('rollback');
    const atWork = `select from pg_stat_activity
      where datname = current_database() and application_name = 'tillkit' and state = 'active'`;
    while ((await observe(atWork)).rowCount !== 0) await new Promise(setImmediate);
    expect(await store.findPaymentByIdempotencyKey(account, held.idempotencyKey)).toBeNull();
  });

  it('is refused as a whole group, when it is the server that stalls', async () => {
    const table = limited({ lateMs: -1 });
    const payments = times(5, () => aPayment(account));
    const results = await Promise.allSettled(
      payments.map((each) => table.record(each, SEND_BEFORE)),
    );
    for (const result of results) {
      expect(result).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    }
    for (const { id } of payments) expect(await table.find(account, id)).toBeNull();
  });

  it('is refused by the server before its caller gives up', () => {
    expect(recordingLimits(15_000)).toEqual({
      groupWaitMs: 50,
      aloneWaitMs: 3_000,
      lateMs: 4_000,
    });
    expect(recordingLimits(1_000)).toEqual({ groupWaitMs: 50, aloneWaitMs: 600, lateMs: 800 });
  });

  it("is the host's own error in the host's transaction", async () => {
    const held = aPayment(account);
    await recordInHost(held);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query('begin');
    const late = aPayment(account, { subscriber: held.subscriber });
    await expect(
      limited({ aloneWaitMs: 20 }).record(late, { ...SEND_BEFORE, transaction: other }),
    ).rejects.toMatchObject({ code: '55P03' });
    await other.end();
  });
});

describe('with a role that does not wait for the disk', () => {
  const durability = async (): Promise<unknown> =>
    (await host.query('show synchronous_commit')).rows[0];

  beforeEach(async () => {
    // one by one: what is set in a transaction ends with its rollback
    for (const each of ['rollback', 'set synchronous_commit = off', 'begin']) {
      await host.query(each);
    }
  });

  it("a payment is durable with the host's commit", async () => {
    await recordInHost(aPayment(account));
    expect(await durability()).toEqual({ synchronous_commit: 'on' });
    await host.query('commit');
    expect(await durability()).toEqual({ synchronous_commit: 'off' });
  });

  it('payments and what marks one as requested are durable, and nothing else is slower for it', async () => {
    const payment = await record(aPayment(account));
    if (payment.kind !== 'recorded') throw new Error(payment.kind);
    const change = (set: object): string => JSON.stringify([paymentChange(payment.payment, set)]);
    const commit = (changes: string): Promise<unknown> =>
      host.query('select tillkit.commit_changes($1)', [changes]);

    const again = async (): Promise<void> => {
      await host.query('rollback');
      await host.query('begin');
    };

    await commit(change({ state: 'failed' }));
    expect(await durability()).toEqual({ synchronous_commit: 'off' });
    await again();
    await commit(change({ state: 'requested' }));
    expect(await durability()).toEqual({ synchronous_commit: 'on' });
    await again();
    await host.query(`select tillkit.record_payments('[]', 50, 4000, false)`);
    expect(await durability()).toEqual({ synchronous_commit: 'on' });
  });

  it('what is stricter than that stays as it is', async () => {
    await host.query('set local synchronous_commit = remote_apply');
    await recordInHost(aPayment(account));
    expect(await durability()).toEqual({ synchronous_commit: 'remote_apply' });
    await host.query('rollback');
  });
});

describe('changes that are asked for together', () => {
  const recordedNow = async (): Promise<PaymentRecord> => {
    const result = await record(aPayment(account));
    if (result.kind !== 'recorded') throw new Error(result.kind);
    return result.payment;
  };
  const request = (payment: PaymentRecord, through: Pick<PostgresStore, 'commit'> = store) =>
    through.commit(paymentChange(payment, { state: 'requested' }));

  it.each([1, 2, 4])(
    'are made without the %d whose rows somebody holds, and those when they are free',
    async (count) => {
      const held = await Promise.all(times(count, recordedNow));
      const others = await Promise.all(times(20, recordedNow));
      await host.query('select from tillkit.payment where id = any ($1) for update', [
        held.map(({ id }) => id),
      ]);
      const waiting = held.map((payment) => request(payment));
      expect(await Promise.all(others.map((payment) => request(payment)))).not.toContain(null);
      await host.query('rollback');
      expect(await Promise.all(waiting)).not.toContain(null);
    },
  );

  it('wait for no transaction of the same reference that is held, also when another account has one', async () => {
    const other = await recordedNow();
    const own = transactionChange(account, 'SHARED', null);
    await Promise.all(
      [own, transactionChange(newAccount(), 'SHARED', null)].map((each) => store.commit(each)),
    );
    await host.query('select from tillkit.till_transaction where account = $1 for update', [
      account,
    ]);
    const waiting = store.commit(transactionChange(account, 'SHARED', 1));
    expect(await request(other)).toBeInstanceOf(Date);
    await host.query('rollback');
    expect(await waiting).toBeInstanceOf(Date);
  });

  it('are told that a row is held, when it is held for too long', async () => {
    const held = await recordedNow();
    const own = new Database(resolvePostgresOptions({ connectionString: database.url }));
    opened.push(own);
    const impatient = new LedgerTable(own, { maxQueued: 100, timeoutMs: 20 });
    await host.query('select from tillkit.payment where id = $1 for update', [held.id]);
    await expect(request(held, impatient)).rejects.toThrow('another transaction held its row');
    await host.query('rollback');
  });

  it('wait for no other one that keeps the same new transaction', async () => {
    await host.query(
      `select pg_advisory_xact_lock(hashtextextended('tillkit:transaction:' || $1, 0))`,
      [referenceHash('HELD-NEW')],
    );
    const waiting = store.commit(transactionChange(account, 'HELD-NEW', null));
    expect(await request(await recordedNow())).toBeInstanceOf(Date);
    expect(await store.findTransaction(account, 'HELD-NEW')).toBeNull();
    await host.query('rollback');
    expect(await waiting).toBeInstanceOf(Date);
  });
});
