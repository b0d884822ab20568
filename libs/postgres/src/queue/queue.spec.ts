import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { aDelivery, newAccount, times } from '../../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  PATIENT,
  type TestDatabase,
} from '../../../../test/contracts/test-database.js';
import { PostgresStore } from '../postgres.store.js';

const LEASE_MS = 60_000;

describe('The queue', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let store: PostgresStore;

  beforeAll(async () => {
    database = await freshDatabase();
    store = new PostgresStore({ ...PATIENT, connectionString: database.storeUrl });
    await store.init();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await store.close();
    await database.drop();
  });

  const rowsOf = async (account: string): Promise<object[]> => {
    const text = 'select lane, item from tillkit.queue where account = $1';
    return (await client.query<object>(text, [account])).rows;
  };

  it('gives what waits behind a delivery that was deleted meanwhile, and removes that one', async () => {
    const account = newAccount();
    const [deleted, kept] = [aDelivery(account), aDelivery(account)];
    for (const delivery of [deleted, kept]) await store.deliveries.store(delivery);
    await client.query('delete from tillkit.delivery where id = $1', [deleted.id]);
    expect(await store.deliveries.claim([account], 'webhook', 9, LEASE_MS)).toMatchObject([
      { id: kept.id },
    ]);
    expect(await rowsOf(account)).toEqual([{ lane: 'webhook', item: kept.id }]);
  });

  it('has planned work of an account once, however many processes plan it at the same time', async () => {
    const account = newAccount();
    const works = [{ account, kind: 'sweep' as const, inMs: 0 }];
    await Promise.all(times(8, () => store.plannedWork.plan(works)));
    expect(await rowsOf(account)).toHaveLength(1);
  });
});
