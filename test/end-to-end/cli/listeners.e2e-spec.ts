import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresStore } from '@tillkit/postgres';
import { anEvent, commitEvents } from '../../contracts/store-under-test.js';
import { freshDatabase, PATIENT, type TestDatabase } from '../../contracts/test-database.js';
import { tillkit, type Ran } from '../../support/command-line.js';

const LISTENER = 'Removed.handle';
const SHOPS = ['shop-1', 'shop-2'];

describe('tillkit listeners delete', () => {
  let database: TestDatabase;
  let store: PostgresStore;

  beforeAll(async () => {
    database = await freshDatabase();
    store = new PostgresStore({ ...PATIENT, connectionString: database.url });
    await store.accounts.noteStarts(SHOPS);
  });
  beforeEach(async () => {
    const listeners = [LISTENER, 'Orders.paid'].map((listener) => ({
      event: 'delivery.unrecognised' as const,
      listener,
    }));
    for (const shop of SHOPS) await store.events.registerListeners(shop, listeners, 'start');
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  const run = (...args: string[]): Promise<Ran> =>
    tillkit(['listeners', 'delete', ...args], {
      environment: { PAYMENTS_DATABASE_URL: database.url },
    });
  const idsOf = async (shop: string): Promise<string[]> =>
    (await store.events.registeredListeners([shop])).map(({ listener }) => listener);

  it('deletes a listener of one account, with its calls', async () => {
    await commitEvents(store, 'shop-1', anEvent('shop-1', 'one'), anEvent('shop-1', 'two'));
    const { code, out } = await run(LISTENER, '--account', 'shop-1', '--json');
    expect({ code, printed: JSON.parse(out) as unknown }).toEqual({
      code: 0,
      printed: { account: 'shop-1', listener: LISTENER, deletedCalls: 2 },
    });
    expect(await idsOf('shop-1')).toEqual(['Orders.paid']);
    expect(await idsOf('shop-2')).toContain(LISTENER);
  });

  it('deletes it of all accounts with --all', async () => {
    expect(await run(LISTENER, '--all')).toEqual({
      code: 0,
      out: `Deleted: listener ${LISTENER} of all accounts, with 0 of its calls.\n`,
      complaint: '',
    });
    for (const shop of SHOPS) expect(await idsOf(shop)).toEqual(['Orders.paid']);
  });

  it('refuses an id that no account has, and names those that there are, because a wrong one would delete nothing', async () => {
    expect(await run('Remove.handle', '--all')).toEqual({
      code: 1,
      out: '',
      complaint: expect.stringMatching(
        /no account has the listener Remove\.handle: the store knows Orders\.paid, Removed\.handle/,
      ),
    });
  });

  it('refuses one account and all at the same time', async () => {
    expect(await run(LISTENER, '--all', '--account', 'shop-1')).toMatchObject({
      code: 2,
      complaint: expect.stringMatching(/name one account with --account <name>, or all with --all/),
    });
  });
});
