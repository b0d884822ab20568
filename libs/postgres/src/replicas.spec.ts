import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  aDelivery,
  aPayment,
  anEvent,
  claimCalls,
  newAccount,
  ledgerChange,
  record,
  recorded,
  times,
  commitEvents,
  commitTo,
  transactionChange,
} from '../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  letTimePass,
  PATIENT,
  type TestDatabase,
} from '../../../test/contracts/test-database.js';
import { PostgresStore } from './postgres.store.js';

let database: TestDatabase;
let replicas: PostgresStore[];
beforeAll(async () => {
  database = await freshDatabase();
  replicas = times(
    4,
    () => new PostgresStore({ ...PATIENT, connectionString: database.storeUrl, poolSize: 4 }),
  );
});
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await database.drop();
});

const any = (index: number): PostgresStore => replicas[index % replicas.length] as PostgresStore;

describe('four replicas', () => {
  it('share the deliveries and calls of several accounts, each exactly once', async () => {
    const accounts = times(3, newAccount);
    for (const account of accounts) {
      await any(0).events.registerListeners(
        account,
        [{ event: 'delivery.unrecognised', listener: 'a' }],
        'start',
      );
    }
    const wanted = accounts.map((account) => ({
      account,
      most: 4,
      listeners: [{ id: 'a', most: 4 }],
    }));
    const deliveries = times(200, (index) => aDelivery(accounts[index % 3] as string));
    await Promise.all(deliveries.map((each, index) => any(index).deliveries.store(each)));
    const received: string[] = [];
    let stored = 0;
    await Promise.all(
      replicas.map(async (replica) => {
        while (stored < 200) {
          for (const claimed of await replica.deliveries.claim(accounts, 'webhook', 7, 60_000)) {
            const { account, id } = claimed;
            await commitEvents(replica, account, anEvent(account, id));
            if (await replica.deliveries.finish(claimed, { kind: 'done' })) stored += 1;
          }
        }
        while (received.length < 200) {
          const calls = await replica.events.claimCalls(wanted, 7, 60_000);
          received.push(...calls.map(({ stream }) => stream));
          await Promise.all(calls.map((call) => replica.events.finishCall(call, { kind: 'done' })));
        }
      }),
    );
    expect(received).toHaveLength(200);
    expect(new Set(received).size).toBe(200);
  });

  it('record one payment for a key and one for a customer, at any replica', async () => {
    const account = newAccount();
    const subscriber = { firstName: 'A', lastName: 'B', phoneNumber: '+254700000001' };
    const byKey = await Promise.all(
      times(32, (index) => record(any(index), aPayment(account, { idempotencyKey: 'one' }))),
    );
    expect(byKey.filter(({ kind }) => kind === 'recorded')).toHaveLength(1);
    const byCustomer = await Promise.all(
      times(32, (index) => record(any(index), aPayment(account, { subscriber }))),
    );
    expect(byCustomer.filter(({ kind }) => kind === 'recorded')).toHaveLength(1);
    expect(byCustomer.filter(({ kind }) => kind === 'in_flight')).toHaveLength(31);
  });

  it('change the same rows in any order without a deadlock', async () => {
    const account = newAccount();
    const payments = await Promise.all(times(10, () => recorded(any(0), aPayment(account))));
    const changes = times(200, (index) => {
      const payment = payments[(index * 7) % 10];
      const reference = `R${(index * 3) % 10}`;
      if (!payment) throw new Error('no payment');
      return ledgerChange(
        payment,
        { state: 'requested' },
        transactionChange(account, reference, null),
      );
    });
    const results = await Promise.all(changes.map((change, index) => commitTo(any(index), change)));
    // Each payment and each transaction is inserted once.
    expect(results.filter(Boolean).length).toBeGreaterThan(0);
    expect(results.filter(Boolean).length).toBeLessThanOrEqual(10);
  });

  it('take over the work of a replica that stopped for longer than its lease, which changes nothing when it continues', async () => {
    const account = newAccount();
    const [stopped, other] = [any(0), any(1)];
    await stopped.events.registerListeners(
      account,
      [{ event: 'delivery.unrecognised', listener: 'a' }],
      'start',
    );
    await commitEvents(stopped, account, anEvent(account, 's'));
    const [lost] = await claimCalls(stopped, account, ['a'], 1, 30_000);
    await letTimePass(database.url, 30_000);
    const [held] = await claimCalls(other, account, ['a'], 1, 30_000);
    expect(held?.id).toBe(lost?.id);
    if (!lost || !held) throw new Error('nothing was claimed');
    expect(await stopped.events.renewCalls([lost], 30_000)).toEqual([lost.id]);
    expect(await stopped.events.finishCall(lost, { kind: 'done' })).toBe(false);
    expect(await other.events.finishCall(held, { kind: 'retry', inMs: 0, error: 'again' })).toBe(
      true,
    );
    // Its own claim has expired too, so only a new claim is valid.
    expect(await other.events.finishCall(held, { kind: 'done' })).toBe(false);
    expect(await claimCalls(stopped, account, ['a'], 1, 30_000)).toMatchObject([{ attempts: 2 }]);
  });
});

describe('a replica with a limit of one call at a time', () => {
  it('calls each listener of each account in turn, even if others have more calls', async () => {
    const ids = ['a', 'b'];
    const accounts = times(2, newAccount);
    for (const account of accounts) {
      await any(0).events.registerListeners(
        account,
        ids.map((listener) => ({ event: 'delivery.unrecognised', listener })),
        'start',
      );
      await commitEvents(any(0), account, ...times(6, (index) => anEvent(account, `s${index}`)));
    }
    const listeners = ids.map((id) => ({ id, most: 1 }));
    const wanted = accounts.map((account) => ({ account, most: 1, listeners }));
    const turns = new Set<string>();
    for (const _ of times(4, () => 0)) {
      const [call] = await any(0).events.claimCalls(wanted, 1, 60_000);
      turns.add(`${call?.account} ${call?.listener}`);
    }
    expect(turns.size).toBe(4);
  });
});
