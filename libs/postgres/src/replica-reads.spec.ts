import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keepWarnings } from '../../../test/support/warnings.js';
import { aPayment, newAccount, recorded } from '../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  PATIENT,
  type TestDatabase,
} from '../../../test/contracts/test-database.js';
import { resolvePostgresOptions } from './postgres.options.js';
import { PostgresStore } from './postgres.store.js';

/** The two databases are not connected, so the test can see from which one a row comes. */
describe('A store with a replica', () => {
  let [primary, replica]: TestDatabase[] = [];
  let store: PostgresStore;
  let old: PostgresStore;

  beforeAll(async () => {
    primary = await freshDatabase();
    replica = await freshDatabase();
    store = new PostgresStore({
      connectionString: primary.url,
      readConnectionString: replica.url,
      ...PATIENT,
    });
    old = new PostgresStore({ connectionString: replica.url, ...PATIENT });
  });

  afterAll(async () => {
    await store.close();
    await old.close();
    await primary?.drop();
    await replica?.drop();
  });

  it('reads lists and totals for people from it, and everything else from the primary database', async () => {
    const account = newAccount();
    const here = await recorded(store, aPayment(account));
    const there = await recorded(old, aPayment(account));
    const ids = async (mayBeOld: boolean): Promise<string[]> =>
      (await store.operations.list(account, {}, { limit: 9, mayBeOld })).items.map(({ id }) => id);
    expect(await ids(true)).toEqual([there.id]);
    expect(await ids(false)).toEqual([here.id]);
    expect(await store.operations.find(account, here.id)).not.toBeNull();
    expect(await store.operations.find(account, there.id)).toBeNull();
    const boundaries = [new Date(0), new Date('2400-01-01')];
    const totals = await store.totals.read(account, { measures: ['open'], boundaries });
    expect(totals).toMatchObject([{ count: 1 }]);
    for (const list of [store.transactions, store.deliveries])
      expect((await list.list(account, {}, { limit: 9, mayBeOld: true })).items).toEqual([]);
  });

  it('reads from the primary database while the replica is away, and says so once, without its password', async () => {
    const lines: string[] = [];
    keepWarnings(lines);
    const alone = new PostgresStore({
      connectionString: primary!.url,
      readConnectionString: 'postgres://reader:hunter2@127.0.0.1:1/nothing',
      ...PATIENT,
    });
    const account = newAccount();
    const { id } = await recorded(alone, aPayment(account));
    for (let time = 0; time < 3; time += 1) {
      const { items } = await alone.operations.list(account, {}, { limit: 9, mayBeOld: true });
      expect(items.map((one) => one.id)).toEqual([id]);
    }
    await alone.close();
    Logger.overrideLogger(false);
    const warnings = lines.filter((line) => line.includes('PAYMENTS_DATABASE_READ_URL'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).not.toContain('hunter2');
  });

  it.each([
    ['not-a-url', 'it does not begin with postgres://'],
    ['postgres://host:99999/x', 'PAYMENTS_DATABASE_READ_URL'],
  ])('refuses the address %s of the replica and names its setting', (address, problem) => {
    const environment = {
      PAYMENTS_DATABASE_URL: 'postgres://localhost/x',
      PAYMENTS_DATABASE_READ_URL: address,
    };
    expect(() => resolvePostgresOptions({}, environment)).toThrow(problem);
    expect(() => resolvePostgresOptions({}, environment)).toThrow('PAYMENTS_DATABASE_READ_URL');
  });

  it('has no replica when the variable is empty', () => {
    const environment = {
      PAYMENTS_DATABASE_URL: 'postgres://localhost/x',
      PAYMENTS_DATABASE_READ_URL: '',
    };
    expect(resolvePostgresOptions({}, environment).readConnectionString).toBeUndefined();
  });
});
