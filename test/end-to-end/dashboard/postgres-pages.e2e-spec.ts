import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresStore } from '@tillkit/postgres';
import { freshDatabase, PATIENT, type TestDatabase } from '../../contracts/test-database.js';
import { DashboardHost } from './dashboard.fixture.js';

// The HTTP adapter makes no difference to what PostgreSQL refuses, so one is enough.
describe('Lists of the dashboard on PostgreSQL', () => {
  const host = new DashboardHost();
  let database: TestDatabase;
  let store: PostgresStore;

  beforeAll(async () => {
    database = await freshDatabase();
    store = new PostgresStore({ connectionString: database.storeUrl, ...PATIENT });
  });

  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  it('end with a cursor of any time, also one that no calendar has', async () => {
    await host.open({ payments: { store } });
    await host.paid();
    const lists = [
      'payments',
      'payouts',
      'refunds',
      'payment-links',
      'transactions',
      'deliveries',
      'dead-letters',
    ];
    const cursors = [
      '-999999999999999999 x',
      '-999999999999999999 1',
      '-210866803200000000 1',
      '999999999999999999 x',
      '999999999999999999 1',
    ];
    for (const list of lists) {
      for (const after of cursors) {
        const path = `/${list}?after=${encodeURIComponent(after)}`;
        const { status } = await host.dashboard.get(path);
        expect({ path, status }).toEqual({ path, status: 200 });
      }
    }
  });
});
