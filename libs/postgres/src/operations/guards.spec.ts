import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { NewOperationRecord, OperationRecord } from '@tillkit/payments/internal/store';
import {
  aPayment,
  aPayout as aPlainPayout,
  changed,
  newAccount,
  type NewPayout,
} from '../../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  inSchema,
  PATIENT,
  type TestDatabase,
} from '../../../../test/contracts/test-database.js';
import { poolOf } from '../../../../test/support/pool.js';
import { until } from '../../../../test/support/until.js';
import { PostgresStore } from '../postgres.store.js';
import { PatientOperations } from '../testing/patient-operations.fixture.js';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const DAY = 86_400_000;
const CUSTOMER = { subscriber: { firstName: 'A', lastName: 'B', phoneNumber: '+254700000001' } };

const aPayout = (account: string, to: string, input: Partial<NewPayout> = {}): NewPayout =>
  aPlainPayout(account, { guard: { keys: [{ key: hash(to) }] }, ...input });

let database: TestDatabase;
let pool: pg.Pool;
let store: PostgresStore;
let patient: PatientOperations;
beforeAll(async () => {
  database = await freshDatabase();
  pool = poolOf(database.url);
  store = new PostgresStore({ ...PATIENT, connectionString: database.url });
  await store.init();
  patient = new PatientOperations(database.url);
});
afterAll(async () => {
  await pool.end();
  await Promise.all([store.close(), patient.close()]);
  await database.drop();
});

const record = (payout: NewOperationRecord, transaction?: pg.PoolClient) =>
  patient.store.record(payout, { sendBeforeMs: 60_000, ...(transaction && { transaction }) });

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until this many connections wait for locks of others, in statements that contain this text. */
const untilWaiting = (count: number, statement = ''): Promise<void> =>
  until(async () => {
    const { rows } = await pool.query(
      `select count(*)::integer as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and strpos(query, $1) > 0`,
      [statement],
    );
    return rows[0].waiting === count;
  });

const schemaOf = async (): Promise<string> => {
  const { rows } = await pool.query(
    "select table_schema as name from information_schema.tables where table_name = 'operation_guard'",
  );
  return rows[0].name as string;
};

describe('with guards in PostgreSQL,', () => {
  it('a pause of one account waits for no recording of another one, and holds none up', async () => {
    const [recorded, paused] = [newAccount(), newAccount()];
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query(inSchema('select :fn.lock_sending(array[$1])'), [recorded]);
    expect(await store.pauses.pause(paused, 'jane', 'a test')).toBe(true);
    const pausing = store.pauses.pause(recorded, 'jane', 'a test');
    await untilWaiting(1);
    const { kind } = await record(aPayout(newAccount(), 'jane'));
    expect(kind).toBe('recorded');
    await holder.query('rollback');
    holder.release();
    expect(await pausing).toBe(true);
  });

  it.each<[string, Partial<NewPayout>]>([
    ['the guard of its first request', {}],
    [
      'the limit of a day, which its first request reaches,',
      { guard: undefined as never, dailyLimitMinor: '10000' },
    ],
  ])(
    'a repeated key that waits for %s gets the payout of the first request, and no refusal',
    async (_, input) => {
      const account = newAccount();
      const payout = aPayout(account, 'jane', { inBackground: true, ...input });
      const host = await pool.connect();
      await host.query('begin');
      await record(payout, host);
      const repeating = record({ ...payout, id: `${account}-again` });
      await untilWaiting(1, 'Records one operation');
      await host.query('commit');
      host.release();
      expect(await repeating).toMatchObject({ kind: 'existing', operation: { id: payout.id } });
    },
  );

  it('a recording that comes twice guards as if it came once, also when the second waits for the first', async () => {
    const account = newAccount();
    const payout = aPayout(account, 'jane', { inBackground: true });
    const host = await pool.connect();
    await host.query('begin');
    await record(payout, host);
    const again = record(payout);
    await untilWaiting(1, 'Records one operation');
    await host.query('commit');
    host.release();
    expect(await again).toMatchObject({ kind: 'existing', operation: { id: payout.id } });
    expect(await record(aPayout(account, 'jane'))).toMatchObject({
      kind: 'in_flight',
      operations: [{ id: payout.id }],
    });
  });

  it('retention does not remove the guard of a payout that is recorded meanwhile', async () => {
    const account = newAccount();
    const schema = await schemaOf();
    // These are the wages of 100 days ago.
    const old = aPayout(account, 'jane');
    await record(old);
    await pool.query(
      `update ${schema}.operation set state = 'succeeded',
       created_at = created_at - interval '100 days', updated_at = updated_at - interval '100 days' where id = $1`,
      [old.id],
    );
    // The wages of today are recorded in the transaction of the host, while retention runs.
    const host = await pool.connect();
    await host.query('begin');
    const today = aPayout(account, 'jane', { inBackground: true });
    expect(await record(today, host)).toMatchObject({ kind: 'recorded' });
    const redacting = store.retention.apply(account, {
      personalDataMs: 90 * DAY,
      dedupeForMs: 1_000 * DAY,
      limit: 100,
    });
    await pause(500);
    await host.query('commit');
    host.release();
    await redacting;
    // The request for the same wages has another key, so jane would be paid twice.
    expect(await record(aPayout(account, 'jane'))).toMatchObject({
      kind: 'in_flight',
      operations: [{ id: today.id }],
    });
  });

  it.each([
    ['request()', false],
    ['record() in a transaction of the host', true],
  ])(
    'retention between two steps of %s does not remove the guard of a destination',
    async (_, inBackground) => {
      const account = newAccount();
      // The guards are locked in the order of their keys.
      const [first, second] = ['jane', 'john'].toSorted((one, other) =>
        hash(one).localeCompare(hash(other)),
      ) as [string, string];
      const old = aPayout(account, first);
      await record(old);
      await pool.query(
        `update tillkit.operation set state = 'succeeded',
         created_at = created_at - interval '100 days', updated_at = updated_at - interval '100 days' where id = $1`,
        [old.id],
      );
      const host = await pool.connect();
      await host.query('begin');
      await record(aPayout(account, second, { inBackground: true }), host);
      const guard = { keys: [{ key: hash(first) }, { key: hash(second) }] };
      const today = aPayout(account, first, { guard, inBackground });
      const other = inBackground ? await pool.connect() : undefined;
      await other?.query('begin');
      // This recording waits for the guard of the second destination.
      const recording = record(today, other);
      await pause(400);
      const redacting = store.retention.apply(account, {
        personalDataMs: 90 * DAY,
        dedupeForMs: 1_000 * DAY,
        limit: 100,
      });
      await pause(400);
      await host.query('rollback');
      host.release();
      expect(await recording).toMatchObject({ kind: 'recorded' });
      await other?.query('commit');
      other?.release();
      await redacting;
      const inFlight = { kind: 'in_flight', operations: [{ id: today.id }] };
      expect(await record(aPayout(account, first))).toMatchObject(inFlight);
      expect(await record(aPayout(account, second))).toMatchObject(inFlight);
    },
  );

  it('payouts that wait for the transaction of a host do not delay a payment that waits for another one', async () => {
    const account = newAccount();
    const host = await pool.connect();
    await host.query('begin');
    await record(aPayout(account, 'jane', { inBackground: true }), host);
    // These are retries of a queue, each with its own key. All wait for the same guard.
    const waiting = Array.from({ length: 6 }, () => record(aPayout(account, 'jane')));
    const other = await pool.connect();
    await other.query('begin');
    const payment = aPayment(account, { inBackground: true });
    await record(payment, other);
    await pause(200);
    const same = record(aPayment(account, { subscriber: payment.subscriber }));
    await pause(300);
    await other.query('rollback');
    other.release();
    // The payouts wait meanwhile, for as long as the transaction of the host is open.
    expect(await same).toMatchObject({ kind: 'recorded' });
    await host.query('rollback');
    host.release();
    await Promise.all(waiting);
  });

  it('a wage run in one transaction does not end in a deadlock with a payout to one of its people', async () => {
    const account = newAccount();
    const limited = { dailyLimitMinor: '100000000' };
    const host = await pool.connect();
    await host.query('begin');
    await record(aPayout(account, 'jane', { inBackground: true, ...limited }), host);
    // Another worker pays peter. It holds his guard, and waits for the row of the day.
    const other = record(aPayout(account, 'peter', limited)).then(
      ({ kind }) => kind,
      (error: Error) => error.message,
    );
    await pause(1_400);
    const peter = aPayout(account, 'peter', { inBackground: true, ...limited });
    const second = await record(peter, host).then(
      ({ kind }) => kind,
      (error: Error) => error.message,
    );
    await host.query('rollback');
    host.release();
    expect({ second, other: await other }).toMatchObject({ second: 'recorded' });
  });

  describe.each(['repeatable read', 'serializable'])('a %s transaction of a host', (isolation) => {
    const afterItsFirstRead = async (
      account: string,
      meanwhile: () => Promise<unknown>,
    ): Promise<string> => {
      const schema = await schemaOf();
      const host = await pool.connect();
      await host.query(`begin isolation level ${isolation}`);
      await host.query(`select count(*) from ${schema}.operation`);
      await meanwhile();
      const recording = record(aPayment(account, { ...CUSTOMER, inBackground: true }), host);
      const outcome = await recording.then(
        ({ kind }) => kind,
        ({ code }) => code as string,
      );
      await host.query('rollback');
      host.release();
      return outcome;
    };

    it.each(['created', 'pending', 'unknown'] as const)(
      'cannot record a payment while another one of the customer, which it does not see, is %s',
      async (state) => {
        const account = newAccount();
        const outcome = await afterItsFirstRead(account, async () => {
          const { operation } = (await record(aPayment(account, CUSTOMER))) as {
            operation: OperationRecord;
          };
          if (state !== 'created') await changed(store, operation, { state });
        });
        expect(outcome).toBe('40001');
      },
    );

    it('cannot record a payment when money was found for an earlier one that it sees as failed', async () => {
      const account = newAccount();
      const { operation } = (await record(aPayment(account, CUSTOMER))) as {
        operation: OperationRecord;
      };
      const failed = await changed(store, operation, { state: 'failed' });
      const outcome = await afterItsFirstRead(account, () =>
        changed(store, failed, { state: 'needs_review', cause: 'paid_after_failure' }),
      );
      expect(outcome).toBe('40001');
    });

    it('records a payment of a customer whom nobody else has asked', async () => {
      const account = newAccount();
      expect(await afterItsFirstRead(account, async () => undefined)).toBe('recorded');
    });
  });

  it('a repeatable read transaction sees that a payout that had failed is in review now, or fails', async () => {
    const account = newAccount();
    const schema = await schemaOf();
    const first = aPayout(account, 'jane');
    await record(first);
    await pool.query(
      `update ${schema}.operation set state = 'failed', reason = 'unknown' where id = $1`,
      [first.id],
    );
    const host = await pool.connect();
    await host.query('begin isolation level repeatable read');
    await host.query(`select count(*) from ${schema}.operation`);
    // The platform now reports that it was paid.
    await pool.query(
      `update ${schema}.operation set state = 'needs_review', cause = 'paid_after_failure', version = version + 1 where id = $1`,
      [first.id],
    );
    const outcome = await record(aPayout(account, 'jane', { inBackground: true }), host).then(
      ({ kind }) => kind,
      () => 'failed',
    );
    await host.query('rollback');
    host.release();
    expect(['in_flight', 'failed']).toContain(outcome);
  });
});
