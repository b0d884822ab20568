import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PostgresStore } from '@tillkit/postgres';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { migrate } from '../../libs/postgres/src/migrate.js';
import { MIGRATIONS, type Migration } from '../../libs/postgres/src/migrations/index.js';
import { Database } from '../../libs/postgres/src/postgres-database.js';
import { resolvePostgresOptions } from '../../libs/postgres/src/postgres.options.js';
import { freshDatabase, PATIENT, type TestDatabase } from '../contracts/test-database.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';

const CUSTOMERS = 30;

/** The next version may change the schema in these ways while this one runs: a column with a default, another table, another index. */
const NEXT: Migration = {
  id: 1_000,
  name: 'next',
  sql: `
    alter table :schema.operation add column channel_of_next text not null default 'none';
    create table :schema.of_next (id text primary key);
    create index event_of_next on :schema.event (name, created_at);
  `,
};

let database: TestDatabase;
let simulator: Simulator;
let replicas: Merchant[];
let stores: PostgresStore[];

beforeEach(async () => {
  database = await freshDatabase();
  simulator = await Simulator.start({ timings: INSTANT_TIMINGS, seed: 1 });
  replicas = [];
  stores = [];
});
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await Promise.all(stores.map((store) => store.close()));
  await simulator.stop();
  await database.drop();
});

/** Opens a process of this version. */
async function open(): Promise<Merchant> {
  const store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
  stores.push(store);
  const payments = {
    store,
    reconciliation: { scheduleMs: [20], intervalMs: 20, sweepEveryMs: 0, requestsPerSecond: 1_000 },
  };
  const replica = await Merchant.open({ shared: simulator, payments });
  replicas.push(replica);
  return replica;
}

async function migrateTo(...next: Migration[]): Promise<void> {
  const options = resolvePostgresOptions({ connectionString: database.url, poolSize: 1 });
  const upgrade = new Database(options);
  await migrate(upgrade, [...MIGRATIONS, ...next]);
  await upgrade.close();
}

it('A process of the version before goes on paying while the next version migrates, and can be restarted on its schema', async () => {
  const before = await open();
  const paying = Array.from({ length: CUSTOMERS }, async (_, index) => {
    // The migration comes between the payments.
    if (index === CUSTOMERS / 2) await migrateTo(NEXT);
    const { id } = await before.payments.request(aRequestFrom(`+2547000${100 + index}01`));
    return before.payments.settled(id);
  });
  const paid = await Promise.all(paying);
  expect(new Set(paid.map(({ state }) => state))).toEqual(new Set(['succeeded']));
  const restarted = await open();
  const { id } = await restarted.payments.request(aRequestFrom('+254700090001'));
  expect(await restarted.payments.settled(id)).toMatchObject({ state: 'succeeded' });
  expect(simulator.charges()).toHaveLength(CUSTOMERS + 1);
});

it('A process of the version before does not start on a schema that the next version has broken for it', async () => {
  await migrateTo(NEXT, { id: 1_001, name: 'broken', sql: 'select 1', breaks: true });
  await expect(open()).rejects.toThrow(/too new for this version .*migration 1001/);
});
