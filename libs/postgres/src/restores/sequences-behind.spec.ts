import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { StoreUnavailableError } from '@tillkit/payments/internal/store';
import {
  aDelivery,
  anEvent,
  commitEvents,
  newAccount,
} from '../../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  PATIENT,
  type TestDatabase,
} from '../../../../test/contracts/test-database.js';
import { PostgresStore } from '../postgres.store.js';

const IDENTITIES = `
  select table_name || '.' || column_name as name, table_name as of, column_name as column
  from information_schema.columns where table_schema = 'tillkit' and is_identity = 'YES' order by 1`;

describe('A database whose sequences are behind its rows, as of a logical replica,', () => {
  let database: TestDatabase;
  let store: PostgresStore;
  let person: pg.Client;
  let account: string;
  /** All columns whose values come from a sequence: name, and the next value before it was set back. */
  let behind: Map<string, number>;

  const nextOf = async (name: string): Promise<number> => {
    const [of, column] = name.split('.');
    const { rows } = await person.query<{ next: string }>(
      `select nextval(pg_get_serial_sequence('tillkit.' || $1, $2)) as next`,
      [of, column],
    );
    return Number(rows[0]?.next);
  };

  beforeEach(async () => {
    database = await freshDatabase();
    store = new PostgresStore({ ...PATIENT, connectionString: database.url });
    person = new pg.Client({ connectionString: database.url });
    await person.connect();
    account = newAccount();
    await store.events.registerListeners(
      account,
      [{ event: 'delivery.unrecognised', listener: 'a' }],
      'start',
    );
    for (const stream of ['one', 'two'])
      await commitEvents(store, account, anEvent(account, stream));
    await store.deliveries.store(aDelivery(account));
    await store.pauses.pause(null, 'kate', 'the database moves');
    await store.pauses.resume(null, 'kate', 'it has moved');
    await person.query(
      `insert into tillkit.total_change (account, committed_at, changes) values ($1, now(), '[]')`,
      [account],
    );
    behind = new Map();
    const { rows } = await person.query<{ name: string }>(IDENTITIES);
    for (const { name } of rows) {
      behind.set(name, await nextOf(name));
      const [of, column] = name.split('.');
      await person.query(`select setval(pg_get_serial_sequence('tillkit.' || $1, $2), 1, false)`, [
        of,
        column,
      ]);
    }
  });
  afterEach(async () => {
    await person.end();
    await store.close();
    await database.drop();
  });

  it('stores no pause in silence: the pause fails, and says which command names the cause', async () => {
    const pausing = store.pauses.pause(account, 'jane', 'the key is stolen');
    await expect(pausing).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(pausing).rejects.toThrow(/sequence .*behind.*cli doctor.*23505, pause_pkey/);
    expect(await store.pauses.current(account)).toBeNull();
  });

  it('stores no delivery that is not queued: it fails, so that the platform sends it again', async () => {
    await expect(store.deliveries.store(aDelivery(account))).rejects.toThrow(/queue_pkey/);
  });

  it('is named, with each column that is behind', async () => {
    expect(await store.sequencesBehind()).toEqual([...behind.keys()]);
  });

  it('has sequences after its largest values again when it is marked as restored, and its pause is stored', async () => {
    await store.markRestored(new Date(), 'jane');
    expect(await store.pauses.all()).toMatchObject([{ account: null, by: 'jane' }]);
    expect(await store.sequencesBehind()).toEqual([]);
    for (const [name, next] of behind) expect(await nextOf(name)).toBeGreaterThanOrEqual(next);
    await store.deliveries.store(aDelivery(account));
  });

  it('keeps sequences that are ahead as they are when it is marked as restored', async () => {
    for (const name of behind.keys()) {
      const [of, column] = name.split('.');
      await person.query(`select setval(pg_get_serial_sequence('tillkit.' || $1, $2), 5000)`, [
        of,
        column,
      ]);
    }
    expect(await store.sequencesBehind()).toEqual([]);
    await store.markRestored(new Date(), 'jane');
    for (const name of behind.keys()) expect(await nextOf(name)).toBeGreaterThan(5000);
  });
});

describe('A database that was never moved', () => {
  let database: TestDatabase;
  let person: pg.Client;

  beforeEach(async () => {
    database = await freshDatabase();
    person = new pg.Client({ connectionString: database.url });
    await person.connect();
  });
  afterEach(async () => {
    await person.end();
    await database.drop();
  });

  it('has no sequence that is behind while it is empty', async () => {
    const store = new PostgresStore({ ...PATIENT, connectionString: database.url });
    expect(await store.sequencesBehind()).toEqual([]);
    await store.close();
  });

  it('lets the role of the application, with the rights that the documentation names, pause, and read and raise its sequences', async () => {
    const role = `tillkit_${newAccount().replace(/\W/g, '_').toLowerCase()}`;
    await person.query(`create role ${role} login password 'weak';
      grant usage on schema tillkit to ${role};
      grant select, insert, update, delete on all tables in schema tillkit to ${role};
      grant select, update on all sequences in schema tillkit to ${role};
      grant execute on all functions in schema tillkit to ${role}`);
    const url = new URL(database.url);
    url.username = role;
    url.password = 'weak';
    const store = new PostgresStore({ ...PATIENT, connectionString: url.href });
    expect(await store.pauses.pause(null, 'kate', 'the database moves')).toBe(true);
    await person.query(`select setval('tillkit.pause_id_seq', 1, false)`);
    expect(await store.sequencesBehind()).toEqual(['pause.id']);
    await store.markRestored(new Date(), 'jane');
    expect(await store.sequencesBehind()).toEqual([]);
    await store.close();
    await person.query(`drop owned by ${role}; drop role ${role}`);
  });
});
