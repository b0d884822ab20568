import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newAccount } from '../../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  inSchema,
  PATIENT,
  urlWithIsolation,
  type TestDatabase,
} from '../../../../test/contracts/test-database.js';
import { PostgresStore } from '../postgres.store.js';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(['read committed', 'repeatable read', 'serializable'])(
  'where the default isolation is %s,',
  (level) => {
    let database: TestDatabase;
    let one: PostgresStore;
    let two: PostgresStore;
    let holder: pg.Client;
    let watcher: pg.Client;
    beforeAll(async () => {
      database = await freshDatabase();
      const connectionString = urlWithIsolation(database, level);
      const open = (): PostgresStore => new PostgresStore({ ...PATIENT, connectionString });
      [one, two] = [open(), open()];
      await one.init();
      holder = new pg.Client({ connectionString });
      watcher = new pg.Client({ connectionString });
      await Promise.all([holder.connect(), watcher.connect()]);
    });
    afterAll(async () => {
      await Promise.all([holder.end(), watcher.end()]);
      await Promise.all([one.close(), two.close()]);
      await database.drop();
    });
    const waiting = async (): Promise<number> =>
      (
        await watcher.query(
          `select count(*)::int as n from pg_locks where not granted and locktype = 'advisory'`,
        )
      ).rows[0].n as number;

    it('one of two accounts that reserve a till at the same moment is refused', async () => {
      const [a, b] = [newAccount(), newAccount()];
      await holder.query('begin');
      await holder.query(inSchema(`select :fn.claim_accounts('[]'::jsonb)`));
      const claim = (store: PostgresStore, account: string) =>
        store.accounts.claim([{ account, tills: ['777'], keyHashes: [], listsTills: true }]);
      const both = [claim(one, a), claim(two, b)];
      while ((await waiting()) < 2) await sleep(5);
      await holder.query('commit');
      const conflicts = (await Promise.all(both)).map((found) => found.length);
      expect(conflicts.toSorted((one, other) => one - other)).toEqual([0, 1]);
    });
  },
);
