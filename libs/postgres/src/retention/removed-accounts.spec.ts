import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  aPayment,
  changed,
  newAccount,
  recorded,
} from '../../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  letTimePass,
  PATIENT,
  type TestDatabase,
} from '../../../../test/contracts/test-database.js';
import { PostgresStore } from '../postgres.store.js';

const DAY = 86_400_000;
const POLICY = { personalDataMs: DAY, dedupeForMs: 2 * DAY, limit: 100, isRemoved: true };

describe('Retention of an account that was removed', () => {
  let database: TestDatabase;
  let store: PostgresStore;
  beforeAll(async () => {
    database = await freshDatabase();
    store = new PostgresStore({ ...PATIENT, connectionString: database.storeUrl });
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });
  const names = async (among: string[]): Promise<string[]> =>
    (await store.accounts.list({ among }, { limit: 10 })).items;
  const claim = (account: string, till: string) =>
    store.accounts.claim([{ account, tills: [till], keyHashes: [], listsTills: true }]);

  it('deletes the account itself when nothing of it is left, and not before', async () => {
    const account = newAccount();
    await store.accounts.noteStarts([account]);
    await changed(store, await recorded(store, aPayment(account)), { state: 'failed' });
    await store.retention.apply(account, POLICY);
    expect(await names([account])).toEqual([account]);
    await letTimePass(database.url, 3 * DAY);
    await store.retention.apply(account, POLICY);
    await store.retention.apply(account, POLICY);
    await store.retention.apply(account, { ...POLICY, isRemoved: false });
    await store.retention.apply(account, POLICY);
    expect(await names([account])).toEqual([]);
  });

  it('keeps an account that has its tills: its source has lost it, and nobody has removed it', async () => {
    const [account, other, till] = [newAccount(), newAccount(), newAccount()];
    await store.accounts.noteStarts([account]);
    await claim(account, till);
    await store.retention.apply(account, POLICY);
    expect(await names([account])).toEqual([account]);
    expect(await claim(other, till)).toHaveLength(1);
    await store.accounts.release(account, null);
    await store.retention.apply(account, POLICY);
    expect(await names([account])).toEqual([]);
  });
});
