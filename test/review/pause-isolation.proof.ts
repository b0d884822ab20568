import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { PostgresStore } from '@tillkit/postgres';
import { aPayment, changed, newAccount, recorded } from '../contracts/store-under-test.js';
import {
  freshDatabase,
  PATIENT,
  urlWithIsolation,
  type TestDatabase,
} from '../contracts/test-database.js';

const SENDING = { sender: 'one', sentAt: new Date(), giveUpInMs: 40_000 };

describe.each(['read committed', 'repeatable read', 'serializable'])(
  'where the default isolation is %s',
  (level) => {
    let database: TestDatabase;
    let store: PostgresStore;
    let person: pg.Client;
    beforeAll(async () => {
      database = await freshDatabase();
      const connectionString = urlWithIsolation(database, level);
      store = new PostgresStore({ ...PATIENT, connectionString });
      await store.init();
      person = new pg.Client({ connectionString });
      await person.connect();
    }, 60_000);
    afterAll(async () => {
      await person.end();
      await store.close();
      await database.drop();
    });

    /** Pauses, and commits as soon as somebody waits for the pause. */
    const pauseWhile = async <T>(account: string, act: () => Promise<T>): Promise<T> => {
      await person.query('begin');
      await person.query(`select tillkit.set_pause($1, true, 'jane', 'the key is stolen')`, [
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

    it('REVIEW nothing is recorded as requested after a pause was committed', async () => {
      const account = newAccount();
      const result = await pauseWhile(account, () =>
        store.operations.record(aPayment(account), { sendBeforeMs: 60_000, sending: SENDING }),
      );
      expect(result.kind).toBe('paused');
    });

    it('REVIEW nothing becomes requested after a pause was committed', async () => {
      const account = newAccount();
      const payment = await recorded(store, aPayment(account));
      const outcome = await pauseWhile(account, () =>
        changed(store, payment, { state: 'requested', sender: 'one' }).then(
          ({ state }) => state,
          (error: unknown) => String(error),
        ),
      );
      expect(outcome).toBe('Error: the change was refused');
    });
  },
);
