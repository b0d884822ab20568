import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { emptyDatabase, type TestDatabase } from '../../../test/contracts/test-database.js';
import { MIGRATIONS } from './migrations/index.js';
import { printMigrations } from './migrate.js';
import { PostgresConfigurationError, PostgresSchemaError } from './postgres.errors.js';
import { PostgresStore } from './postgres.store.js';

let database: TestDatabase;
const opened: PostgresStore[] = [];

function open(options: { schema?: string; migrate?: boolean; url?: string } = {}): PostgresStore {
  const { url = database.storeUrl, ...rest } = options;
  const store = new PostgresStore({ connectionString: url, poolSize: 1, ...rest });
  opened.push(store);
  return store;
}

async function sql(text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

describe('the schema', () => {
  beforeEach(async () => {
    database = await emptyDatabase();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    await database.drop();
  });

  it('is made once by thirty stores that start at the same time, and none of them fails', async () => {
    await Promise.all(Array.from({ length: 30 }, () => open().init()));
    const { rows } = await sql('select id from tillkit.migration order by id');
    expect(rows).toEqual(MIGRATIONS.map(({ id }) => ({ id })));
  });

  it('is made by the first statement of any kind', async () => {
    expect(await open().operations.find('default', 'none')).toBeNull();
  });

  it('can have another name, in the same database as the first', async () => {
    await open().init();
    await open({ schema: 'other_shop' }).init();
    expect(await open({ schema: 'other_shop' }).anomalies.list('default')).toEqual([]);
  });

  it('that a newer version has broken is refused, with an error that says what to do', async () => {
    await open().init();
    await sql(
      `insert into tillkit.migration (id, name, checksum, breaks) values (998, 'future', '', false), (999, 'future', '', true)`,
    );
    await expect(open().init()).rejects.toThrow(PostgresSchemaError);
    await expect(open().init()).rejects.toThrow(
      /too new for this version.*migration 999, .*Install/,
    );
    await expect(open({ migrate: false }).init()).rejects.toThrow(/too new for this version/);
  });

  it('that is newer than the code and not broken is used, also by a process that only checks it', async () => {
    await open().init();
    await sql(`insert into tillkit.migration (id, name, checksum) values (999, 'future', '')`);
    await open().init();
    await open({ migrate: false }).init();
  });

  it('that was made by other migrations of the same number is refused', async () => {
    await open().init();
    await sql(`update tillkit.migration set checksum = 'other' where id = 2`);
    await expect(open().init()).rejects.toThrow(/000002\.operations.*checksum differs/);
  });

  it('is only checked when migrate is false', async () => {
    await expect(open({ migrate: false }).init()).rejects.toThrow(/npx @tillkit\/cli migrate/);
    expect((await sql(`select from pg_namespace where nspname = 'tillkit'`)).rowCount).toBe(0);
    await open().init();
    await open({ migrate: false }).init();
  });

  it('does not change when a migration fails', async () => {
    await sql('create schema tillkit; create table tillkit.token ()');
    await expect(open().init()).rejects.toThrow(/already exists/);
    const { rows } = await sql(`select tablename from pg_tables where schemaname = 'tillkit'`);
    expect(rows).toEqual([{ tablename: 'token' }]);
  });

  it('is made by a later attempt after a failure', async () => {
    await sql('create schema tillkit; create table tillkit.token ()');
    const store = open();
    await expect(store.init()).rejects.toThrow(/already exists/);
    await sql('drop table tillkit.token');
    await store.init();
  });

  it('can be made by running the printed migrations, and the store accepts it', async () => {
    await sql(printMigrations('tillkit'));
    await open({ migrate: false }).init();
  });

  it('has the functions of this version beside those of the versions before, and drops much older ones', async () => {
    await open().init();
    const own = (await sql('select checksum from tillkit.function_set')).rows[0]
      ?.checksum as string;
    const names = async (): Promise<string[]> =>
      (
        await sql(`select proname from pg_proc where pronamespace = 'tillkit'::regnamespace
          and proname ~ '^claim_due_work_' order by 1`)
      ).rows.map(({ proname }) => proname as string);
    expect(await names()).toEqual([`claim_due_work_${own}`]);
    // The database looks as after three other versions, of which the last one has dropped our functions.
    await sql(`drop function tillkit.claim_due_work_${own}; delete from tillkit.function_set;
      do $$ declare p_function text; begin
        for p_function in select oid::regprocedure from pg_proc where pronamespace = 'tillkit'::regnamespace
          and proname like '%\\_${own}' loop execute 'drop function ' || p_function; end loop;
      end $$;`);
    for (const [age, set] of ['00000003', '00000002', '00000001'].entries())
      await sql(`create function tillkit.claim_due_work_${set}() returns text language sql as 'select ''${set}''';
        insert into tillkit.function_set values ('${set}', now() - interval '${3 - age} days')`);
    const mine = open({ migrate: false });
    await expect(mine.init()).rejects.toThrow(new RegExp(`lacks functions\\.${own}`));
    const store = open();
    await store.init();
    expect(await names()).toEqual(
      ['00000001', '00000002', own].map((set) => `claim_due_work_${set}`).toSorted(),
    );
    expect((await sql('select tillkit.claim_due_work_00000001() as of')).rows).toEqual([
      { of: '00000001' },
    ]);
    expect(await store.deliveries.claim(['a'], 'webhook', 1, 1_000)).toEqual([]);
    await mine.init();
  });

  it('is refused at the start in a database that cannot store every character', async () => {
    await sql(`create database tillkit_latin encoding 'LATIN1' locale 'C' template template0`);
    try {
      const url = new URL(database.url);
      url.pathname = '/tillkit_latin';
      const refused = { url: url.href };
      for (const migrate of [true, false]) {
        const start = open({ ...refused, migrate }).init();
        await expect(start).rejects.toThrow(PostgresConfigurationError);
        await expect(start).rejects.toThrow(/encoding LATIN1.*createdb --encoding=UTF8/);
      }
    } finally {
      await Promise.all(opened.splice(0).map((store) => store.close()));
      await sql('drop database tillkit_latin');
    }
  });

  it('may exist and be empty, made by a role with the right to create it', async () => {
    await sql(`create schema tillkit;
      drop role if exists tillkit_weak; create role tillkit_weak login password 'weak';
      grant usage, create on schema tillkit to tillkit_weak`);
    const url = new URL(database.url);
    url.username = 'tillkit_weak';
    url.password = 'weak';
    await open({ url: url.href }).init();
    await sql('drop owned by tillkit_weak; drop role tillkit_weak');
  });
});
