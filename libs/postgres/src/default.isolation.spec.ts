import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { OperationRecord } from '@tillkit/payments/internal/store';
import {
  aDelivery,
  aPayment,
  anEvent,
  changed,
  claimCalls,
  commitEvents,
  ledgerChange,
  newAccount,
  recorded,
  times,
  transactionChange,
} from '../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  inSchema,
  PATIENT,
  urlWithIsolation,
  type TestDatabase,
} from '../../../test/contracts/test-database.js';
import { PostgresStore } from './postgres.store.js';

// Some hosts set a stricter default for their whole database. There a conflict fails with an error that does not exist under read
// committed.
describe.each(['repeatable read', 'serializable'])(
  'where the default isolation is %s,',
  (level) => {
    let database: TestDatabase;
    let replicas: PostgresStore[];
    let person: pg.Client;
    beforeAll(async () => {
      database = await freshDatabase();
      const connectionString = urlWithIsolation(database, level);
      replicas = times(3, () => new PostgresStore({ ...PATIENT, connectionString }));
      await any(0).init();
      person = new pg.Client({ connectionString });
      await person.connect();
    });
    afterAll(async () => {
      await person.end();
      await Promise.all(replicas.map((replica) => replica.close()));
      await database.drop();
    });
    const any = (index: number): PostgresStore =>
      replicas[index % replicas.length] as PostgresStore;

    it('one of the processes that write a new transaction at the same moment writes it, the others are refused', async () => {
      const account = newAccount();
      for (const reference of times(20, (index) => `R${index}`)) {
        const results = await Promise.all(
          times(6, (index) =>
            any(index).ledger.commit(transactionChange(account, reference, null)),
          ),
        );
        expect(results.filter((result) => result !== null)).toHaveLength(1);
      }
    });

    it('late calls of one event are acknowledged by two processes without a wait', async () => {
      const account = newAccount();
      const listeners = ['a', 'b'];
      await any(0).events.registerListeners(
        account,
        listeners.map((listener) => ({ event: 'delivery.unrecognised' as const, listener })),
        'start',
      );
      await commitEvents(any(0), account, anEvent(account, 'stream'));
      await person.query(`update tillkit.queue set due_at = due_at - interval '1 hour'`);
      const [one, other] = await claimCalls(any(0), account, listeners, 2, 60_000);
      await person.query('begin');
      await person.query(
        inSchema(
          `select :fn.finish_claims(array[$1::bigint], array[split_part($2, '.', 2)], '{done}', '{0}', '{null}')`,
        ),
        [one!.id, one!.token],
      );
      expect(await any(1).events.finishCall(other!, { kind: 'done' })).toBe(true);
      await person.query('commit');
      const [event] = await any(2).events.list(account, 'stream');
      expect(event!.calls.map(({ state }) => state)).toEqual(['done', 'done']);
    });

    it('all callbacks that arrive at once are stored with what they change', async () => {
      const account = newAccount();
      await any(0).events.registerListeners(
        account,
        [{ event: 'delivery.unrecognised', listener: 'a' }],
        'start',
      );
      const payments: OperationRecord[] = [];
      for (const index of times(60, (each) => each)) {
        const payment = await recorded(any(index), aPayment(account));
        payments.push(await changed(any(index), payment, { state: 'requested', sender: 's' }));
      }
      const stored = await Promise.all(
        payments.map((payment, index) =>
          any(index).ledger.commitWithDelivery(
            ledgerChange(payment, { state: 'failed' }, { events: [anEvent(account, payment.id)] }),
            aDelivery(account),
            30_000,
          ),
        ),
      );
      expect(stored.filter((result) => result === null)).toHaveLength(0);
      const states = await Promise.all(
        payments.map(async ({ id }) => (await any(0).operations.find(account, id))?.state),
      );
      expect(new Set(states)).toEqual(new Set(['failed']));
    });

    it('replicas that pause and plan at the same moment do not fail', async () => {
      const account = newAccount();
      for (const round of times(30, (each) => each)) {
        const claims = times(3, (index) => any(index).plannedWork.claim([account], 'sweep', 5, 1));
        const { pauses } = any(1);
        await Promise.all([
          ...claims,
          round % 2 ? pauses.resume(account, 'jane', 'over') : pauses.pause(account, 'jane', 'why'),
        ]);
      }
    });

    /** Pauses sending, and commits as soon as another statement waits for the pause. */
    const pauseWhile = async <T>(account: string, act: () => Promise<T>): Promise<T> => {
      await person.query('begin');
      await person.query(inSchema(`select :fn.set_pause($1, true, 'jane', 'the key is stolen')`), [
        account,
      ]);
      const acting = act();
      acting.catch(() => undefined);
      for (;;) {
        const { rows } = await person.query(
          `select count(*)::int as waiting from pg_locks where locktype = 'advisory' and not granted`,
        );
        if (rows[0].waiting > 0) break;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await person.query('commit');
      return acting;
    };

    const requested = (payment: OperationRecord): Promise<string> =>
      changed(any(0), payment, { state: 'requested', sender: 'one' }).then(
        () => 'requested',
        (error: unknown) => String(error),
      );

    it('nothing becomes requested after a pause was committed', async () => {
      const account = newAccount();
      const payment = await recorded(any(0), aPayment(account));
      const outcome = await pauseWhile(account, () => requested(payment));
      expect(outcome).toBe('Error: the change was refused');
    });

    it('nothing is recorded as requested after a pause was committed', async () => {
      const account = newAccount();
      const mark = { sender: 'one', sentAt: new Date() };
      const recording = await pauseWhile(account, () =>
        any(0).operations.record(aPayment(account), { sendBeforeMs: 60_000, mark }),
      );
      // On a slow machine, the recording waits for the pause for longer than a group may. Then it is recorded, and nobody sends it.
      const state = recording.kind === 'recorded' ? recording.operation.state : recording.kind;
      expect(['paused', 'created']).toContain(state);
    });

    it('nothing becomes requested after a pause was committed, also when another account is paused at that moment', async () => {
      const [account, other] = [newAccount(), newAccount()];
      const payment = await recorded(any(0), aPayment(account));
      let pausing: Promise<boolean> | undefined;
      const outcome = await pauseWhile(account, () => {
        pausing = any(1).pauses.pause(other, 'peter', 'another reason');
        return requested(payment);
      });
      expect(outcome).toBe('Error: the change was refused');
      expect(await pausing).toBe(true);
    });

    it('payments are sent after a database was restored from a dump of another server', async () => {
      // A dump has the value of each sequence, and a new server counts its transactions from the beginning.
      await person.query(
        `select setval('tillkit.pause_transaction', pg_current_xact_id()::text::bigint + 1000000)`,
      );
      const account = newAccount();
      const payments = await Promise.all(times(2, () => recorded(any(0), aPayment(account))));
      expect(await requested(payments[0]!)).toBe('requested');
      expect(await pauseWhile(account, () => requested(payments[1]!))).toBe(
        'Error: the change was refused',
      );
    });
  },
);
