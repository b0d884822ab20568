import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { phoneHash } from '@tillkit/payments/internal/store';
import {
  aDelivery,
  commitTo,
  newAccount,
  transactionChange,
} from '../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  PATIENT,
  type TestDatabase,
} from '../../../test/contracts/test-database.js';
import { PostgresStore } from './postgres.store.js';

/** A role or a database may have these defaults, and they change how the server writes values. */
const SETTINGS = [
  'bytea_output=escape',
  'DateStyle=SQL,DMY',
  'IntervalStyle=sql_standard',
  'TimeZone=Asia/Kathmandu',
  'extra_float_digits=-15',
  'standard_conforming_strings=off',
];

describe('A store whose role has other settings of output', () => {
  let database: TestDatabase;
  let store: PostgresStore;
  beforeAll(async () => {
    database = await freshDatabase();
    const url = new URL(database.url);
    url.searchParams.set('options', SETTINGS.map((setting) => `-c ${setting}`).join(' '));
    store = new PostgresStore({ ...PATIENT, connectionString: url.href });
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  it('reads the bytes of a delivery as they came, when it is claimed, shown and searched for a person', async () => {
    const account = newAccount();
    const body = Buffer.concat([
      Buffer.from('{"phone":"+254700000001","name":"\\\\x5c é 😀"}'),
      Buffer.from([0, 92, 255]),
    ]);
    const delivery = aDelivery(account, { body });
    await store.deliveries.store(delivery);
    expect((await store.deliveries.find(account, delivery.id))?.body).toEqual(body);
    const [claimed] = await store.deliveries.claim([account], 'webhook', 1, 60_000);
    expect(claimed?.body).toEqual(body);
    const all = { from: new Date(0), to: new Date('2400-01-01'), refunds: [] };
    const person = { digits: '254700000001', hash: phoneHash('254700000001'), ...all };
    const found = await store.retention.findOf(account, person);
    expect(found).toMatchObject([{ data: { body: body.toString('utf8') } }]);
  });

  it('reads a sealed token as it was written', async () => {
    const holder = { account: newAccount(), application: 'one' };
    const sealed = Buffer.from([0, 92, 255, 39, 128]);
    await store.tokens.save(holder, 'owner', { sealed, expiresInMs: 60_000 });
    expect((await store.tokens.read(holder))?.sealed).toEqual(sealed);
  });

  it('reads times to the millisecond', async () => {
    const account = newAccount();
    await commitTo(store, transactionChange(account, 'T1', null));
    const [one] = (await store.transactions.list(account, { amountFrom: '0' }, { limit: 1 })).items;
    expect(Math.abs(one!.createdAt.getTime() - Date.now())).toBeLessThan(86_400_000);
  });
});
