import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  StoreUnavailableError,
  type NewPayment,
  type PaymentsStore,
  type OperationRecord,
  type RecordResult,
} from '@tillkit/payments/internal/store';
import {
  aPayment,
  newAccount,
  ledgerChange,
  times,
  transactionChange,
  commitTo,
} from '../../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  inSchema,
  PATIENT,
  type TestDatabase,
} from '../../../../test/contracts/test-database.js';
import { Database } from '../postgres-database.js';
import { resolvePostgresOptions } from '../postgres.options.js';
import { PostgresStore } from '../postgres.store.js';
import { referenceHash } from '../transactions/transaction.row.js';
import { ReplicaReads } from '../replica-reads.js';
import { TotalsRollUp } from '../totals/totals-roll-up.js';
import { PostgresLedgerStore } from '../ledger/postgres-ledger.store.js';
import { PatientOperations } from '../testing/patient-operations.fixture.js';
import { PostgresOperationsStore } from './postgres-operations.store.js';
import { recordingLimits, type RecordingLimits } from './recordings.js';

const SEND_BEFORE = { sendBeforeMs: 60_000 };

let database: TestDatabase;
let store: PostgresStore;
/** For recordings that wait until the test ends their wait. */
let patient: PatientOperations;
/** A connection of the host, with a transaction that stays open until the test ends it. */
let host: pg.Client;
let account: string;

beforeAll(async () => {
  database = await freshDatabase();
  store = new PostgresStore({ ...PATIENT, connectionString: database.storeUrl });
  await store.init();
  patient = new PatientOperations(database.storeUrl);
});
afterAll(async () => {
  await Promise.all([store.close(), patient.close()]);
  await database.drop();
});

beforeEach(async () => {
  account = newAccount();
  host = new pg.Client({ connectionString: database.url });
  await host.connect();
  await host.query('begin');
});
afterEach(() => host.end());

const recordInHost = (payment: NewPayment): Promise<RecordResult<OperationRecord>> =>
  patient.store.record(payment, { ...SEND_BEFORE, transaction: host });

const record = (payment: NewPayment): Promise<RecordResult<OperationRecord>> =>
  patient.store.record(payment, SEND_BEFORE);

/** Returns the outcome of a promise after one round trip to the server; `waits` while it is pending. */
async function outcomeOf(promise: Promise<RecordResult<OperationRecord>>): Promise<string> {
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

/** Resolves when this number of recordings wait for a lock. */
async function untilWaitingAlone(count: number): Promise<void> {
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and strpos(query, 'Records one operation') > 0`;
  while ((await observe(waiting)).rowCount !== count) await new Promise(setImmediate);
}

let opened: Database[] = [];
afterEach(async () => {
  await Promise.all(opened.map((each) => each.close()));
  opened = [];
});

/** Returns a store of operations with other limits. */
const limited = (
  limits: Partial<RecordingLimits>,
  statementTimeoutMs = 60_000,
): PostgresOperationsStore => {
  const options = { connectionString: database.url, statementTimeoutMs };
  const own = new Database(resolvePostgresOptions(options));
  opened.push(own);
  return new PostgresOperationsStore(
    own,
    new ReplicaReads(own, null),
    { maxQueued: 100, timeoutMs: 60_000 },
    { ...recordingLimits(60_000), ...limits },
  );
};

const keyOf = ({ idempotencyKey }: NewPayment): Pick<NewPayment, 'idempotencyKey'> => ({
  idempotencyKey,
});

describe('while a transaction of the host is open,', () => {
  it('only requests of its key and its customer wait for it', async () => {
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
    expect(await sameKey).toMatchObject({ kind: 'existing', operation: { id: open.id } });
    expect(await sameCustomer).toMatchObject({ kind: 'in_flight', operations: [{ id: open.id }] });
  });

  it('a request that is to be sent at once waits without its mark, so that no pause waits for it', async () => {
    const open = aPayment(account);
    await recordInHost(open);
    const mark = { sender: 'one', sentAt: new Date() };
    const waiting = patient.store.record(aPayment(account, { subscriber: open.subscriber }), {
      ...SEND_BEFORE,
      mark,
    });
    await untilWaitingAlone(1);
    expect(await store.pauses.pause(account, 'jane', 'the till moved')).toBe(true);
    expect(await store.pauses.resume(account, 'jane', 'it is back')).toBe(true);
    await host.query('rollback');
    expect(await waiting).toMatchObject({ operation: { state: 'created', sender: null } });
  });

  it('requests that are to be sent at once do not wait for a pause of another account that takes long', async () => {
    const paused = newAccount();
    await host.query(inSchema(`select :fn.set_pause($1, true, 'jane', 'the till moved')`), [
      paused,
    ]);
    const mark = { sender: 'one', sentAt: new Date() };
    const marked = (of: string): Promise<RecordResult<OperationRecord>> =>
      patient.store.record(aPayment(of), { ...SEND_BEFORE, mark });
    const [first, ...others] = [marked(paused), ...times(3, () => marked(account))];
    for (const other of others) expect((await other).kind).toBe('recorded');
    await host.query('rollback');
    expect((await first!).kind).toBe('recorded');
  });

  it('waiting requests are recorded after its rollback', async () => {
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
  });

  it('a store that is closed waits for the requests that wait for it', async () => {
    const open = aPayment(account);
    await recordInHost(open);
    const waiting = record(aPayment(account, { idempotencyKey: open.idempotencyKey }));
    await untilWaitingAlone(1);
    let isDrained = false;
    const drained = patient.store.drain().then(() => (isDrained = true));
    await host.query('select');
    expect(isDrained).toBe(false);
    await host.query('rollback');
    expect((await waiting).kind).toBe('recorded');
    await drained;
  });

  it('many repeated requests of its payment do not delay other requests', async () => {
    const open = aPayment(account);
    await recordInHost(open);
    const again = (): Promise<RecordResult<OperationRecord>> =>
      record({ ...aPayment(account), ...keyOf(open) });
    const first = again();
    await untilWaitingAlone(1);
    const more = times(30, again);
    for (const _ of more) expect((await record(aPayment(account))).kind).toBe('recorded');
    await untilWaitingAlone(1);
    await host.query('commit');
    for (const each of [first, ...more]) {
      expect(await each).toMatchObject({ kind: 'existing', operation: { id: open.id } });
    }
  });

  it('a payment that passes another one waits for a payment of the same customer, and is then recorded beside it', async () => {
    const open = aPayment(account);
    await recordInHost(open);
    const { subscriber, id } = open;
    const waiting = record(aPayment(account, { subscriber, besides: [id] }));
    await untilWaitingAlone(1);
    await host.query('commit');
    expect((await waiting).kind).toBe('recorded');
  });

  it('requests that wait behind a refused one are tried, or refused with it', async () => {
    const open = aPayment(account);
    await recordInHost(open);
    const operations = limited({ groupWaitMs: 1, aloneWaitMs: 300 });
    const again = (): Promise<RecordResult<OperationRecord>> =>
      operations.record({ ...aPayment(account), ...keyOf(open) }, SEND_BEFORE);
    const results = await Promise.allSettled(times(5, again));
    for (const result of results) {
      expect(result).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    }
    await host.query('rollback');
    expect((await again()).kind).toBe('recorded');
    await operations.drain();
  });

  it('a repeat of a recorded payment does not wait for a payment of the same customer', async () => {
    const first = aPayment(account);
    await record(first);
    const { id } = first;
    // The host's transaction holds the lock of the customer.
    await recordInHost(aPayment(account, { subscriber: first.subscriber, besides: [id] }));
    expect(await record({ ...first, id: 'again' })).toMatchObject({
      kind: 'existing',
      operation: { id },
    });
    await host.query('rollback');
  });

  it('its settings are unchanged after a payment was recorded in it', async () => {
    await host.query(`set local lock_timeout = '1234ms'`);
    await recordInHost(aPayment(account));
    expect((await host.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '1234ms' }]);
    expect((await host.query('show enable_seqscan')).rows).toEqual([{ enable_seqscan: 'on' }]);
    await host.query('rollback');
  });
});

describe('a payment that could not be recorded in time', () => {
  it('is refused with an error that explains it, and is not recorded later', async () => {
    const held = aPayment(account);
    await recordInHost(held);
    const operations = limited({ aloneWaitMs: 20 });
    const late = aPayment(account, { subscriber: held.subscriber });
    const failure: unknown = await operations
      .record(late, SEND_BEFORE)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreUnavailableError);
    expect((failure as Error).message).toMatch(/another open transaction.*key.*customer/);
    await host.query('rollback');
    expect(await operations.find(account, late.id)).toBeNull();
    expect(await operations.record(late, SEND_BEFORE)).toMatchObject({ kind: 'recorded' });
  });

  it.each(['commit', 'rollback'])(
    'is not recorded when it gets its locks too late, after a %s',
    async (end) => {
      const held = aPayment(account);
      await recordInHost(held);
      const operations = limited({ aloneWaitMs: 60_000, lateMs: 20 });
      const late = aPayment(account, { subscriber: held.subscriber });
      const recording = operations.record(late, SEND_BEFORE).catch((error: unknown) => error);
      await untilWaitingAlone(1);
      await host.query('select pg_sleep(0.05)');
      await host.query(end);
      expect(await recording).toBeInstanceOf(StoreUnavailableError);
      expect(await operations.find(account, late.id)).toBeNull();
    },
  );

  it('is not recorded by a statement whose caller has given up', async () => {
    const held = aPayment(account);
    await recordInHost(held);
    const late = aPayment(account, { idempotencyKey: held.idempotencyKey });
    const hasty = limited({ groupWaitMs: 60_000, aloneWaitMs: 60_000, lateMs: 40 }, 50);
    await expect(hasty.record(late, SEND_BEFORE)).rejects.toThrow(StoreUnavailableError);
    const atWork = `select from pg_stat_activity
      where datname = current_database() and application_name = 'tillkit' and state = 'active'`;
    // The statement is cancelled, however long the host keeps its transaction open. On a busy machine the server begins later than its
    // caller.
    await host.query('select pg_sleep(0.2)');
    while ((await observe(atWork)).rowCount !== 0) await new Promise(setImmediate);
    await host.query('rollback');
    expect(
      await store.operations.findByIdempotencyKey(account, 'payment', held.idempotencyKey),
    ).toBeNull();
  });

  it('is refused with its whole group when the server stalls', async () => {
    const operations = limited({ lateMs: -1 });
    const payments = times(5, () => aPayment(account));
    const results = await Promise.allSettled(
      payments.map((each) => operations.record(each, SEND_BEFORE)),
    );
    for (const result of results) {
      expect(result).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    }
    for (const { id } of payments) expect(await operations.find(account, id)).toBeNull();
  });

  it('is refused by the server before its caller gives up', () => {
    expect(recordingLimits(15_000)).toEqual({
      groupWaitMs: 50,
      aloneWaitMs: 3_000,
      lateMs: 4_000,
    });
    expect(recordingLimits(1_000)).toEqual({ groupWaitMs: 50, aloneWaitMs: 600, lateMs: 800 });
  });

  it("causes an error in the host's transaction, which can go on", async () => {
    const held = aPayment(account);
    await recordInHost(held);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query('begin');
    const late = aPayment(account, { subscriber: held.subscriber });
    await expect(
      limited({ aloneWaitMs: 20 }).record(late, { ...SEND_BEFORE, transaction: other }),
    ).rejects.toMatchObject({ code: 'PAYMENTS_STORE_UNAVAILABLE' });
    await other.end();
  });
});

describe('with synchronous_commit off,', () => {
  const durability = async (): Promise<unknown> =>
    (await host.query('show synchronous_commit')).rows[0];

  beforeEach(async () => {
    // We run them one by one, because a rollback also resets settings of its transaction.
    for (const each of ['rollback', 'set synchronous_commit = off', 'begin']) {
      await host.query(each);
    }
  });

  it("a payment is durable after the host's commit", async () => {
    await recordInHost(aPayment(account));
    expect(await durability()).toEqual({ synchronous_commit: 'on' });
    await host.query('commit');
    expect(await durability()).toEqual({ synchronous_commit: 'off' });
  });

  it('recordings and changes to requested are durable, and other changes do not wait for the disk', async () => {
    const result = await record(aPayment(account));
    if (result.kind !== 'recorded') throw new Error(result.kind);
    const change = (set: object): string => JSON.stringify([ledgerChange(result.operation, set)]);
    const commit = (changes: string): Promise<unknown> =>
      host.query(inSchema(`select :fn.commit_changes($1, 't', null)`), [changes]);

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
    await host.query(inSchema(`select :fn.record_operations('[]', 50, 4000, false)`));
    expect(await durability()).toEqual({ synchronous_commit: 'on' });
  });

  it('a stricter setting of the host is kept', async () => {
    await host.query('set local synchronous_commit = remote_apply');
    await recordInHost(aPayment(account));
    expect(await durability()).toEqual({ synchronous_commit: 'remote_apply' });
    await host.query('rollback');
  });
});

describe('changes that are committed as a group', () => {
  const recordedNow = async (): Promise<OperationRecord> => {
    const result = await record(aPayment(account));
    if (result.kind !== 'recorded') throw new Error(result.kind);
    return result.operation;
  };
  const request = (payment: OperationRecord, through: Pick<PaymentsStore, 'ledger'> = store) =>
    commitTo(through, ledgerChange(payment, { state: 'requested' }));

  it.each([1, 2, 4])(
    'are made without the %d whose rows are locked, which follow when the rows are free',
    async (count) => {
      const held = await Promise.all(times(count, recordedNow));
      const others = await Promise.all(times(20, recordedNow));
      await host.query('select from tillkit.operation where id = any ($1) for update', [
        held.map(({ id }) => id),
      ]);
      const waiting = held.map((payment) => request(payment));
      expect(await Promise.all(others.map((payment) => request(payment)))).not.toContain(null);
      await host.query('rollback');
      expect(await Promise.all(waiting)).not.toContain(null);
    },
  );

  it('do not wait for a locked transaction with the same reference in another account', async () => {
    const other = await recordedNow();
    const own = transactionChange(account, 'SHARED', null);
    await Promise.all(
      [own, transactionChange(newAccount(), 'SHARED', null)].map((each) => commitTo(store, each)),
    );
    await host.query('select from tillkit.transaction where account = $1 for update', [account]);
    const waiting = commitTo(store, transactionChange(account, 'SHARED', 1));
    expect(await request(other)).toBeInstanceOf(Date);
    await host.query('rollback');
    expect(await waiting).toBeInstanceOf(Date);
  });

  it('fail with an error that names the locked row when it is locked for too long', async () => {
    const held = await recordedNow();
    const own = new Database(resolvePostgresOptions({ connectionString: database.url }));
    opened.push(own);
    const ledger = new PostgresLedgerStore(own, new TotalsRollUp(own), {
      maxQueued: 10,
      timeoutMs: 20,
    });
    await host.query('select from tillkit.operation where id = $1 for update', [held.id]);
    await expect(request(held, { ledger })).rejects.toThrow('another transaction held its row');
    await host.query('rollback');
  });

  it('do not wait for another change that inserts the same new transaction', async () => {
    await host.query(
      `select pg_advisory_xact_lock(hashtextextended('tillkit:transaction:' || $1, 0))`,
      [referenceHash('HELD-NEW')],
    );
    const waiting = commitTo(store, transactionChange(account, 'HELD-NEW', null));
    expect(await request(await recordedNow())).toBeInstanceOf(Date);
    expect(await store.transactions.find(account, 'HELD-NEW')).toBeNull();
    await host.query('rollback');
    expect(await waiting).toBeInstanceOf(Date);
  });
});
