import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentInFlightError, type PaymentsEvents } from '@tillkit/payments';
import { firstTime, PostgresStore } from '@tillkit/postgres';
import pg from 'pg';
import { freshDatabase, PATIENT, type TestDatabase } from '../contracts/test-database.js';
import { HOST_LIBRARIES, type HostLibrary } from '../support/host-libraries.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';
import { PLATFORMS, type Platform } from '../support/platforms.js';

const [platform] = PLATFORMS as [Platform, Platform];

describe.each(HOST_LIBRARIES)("the host's own transaction in $library", ({ open }) => {
  let database: TestDatabase;
  let host: HostLibrary;
  let store: PostgresStore;
  let merchant: Merchant;
  let looker: pg.Pool;

  beforeAll(async () => {
    database = await freshDatabase();
    host = await open(database.url);
    looker = new pg.Pool({ connectionString: database.url, max: 1 });
    await host.inTransaction((transaction) =>
      transaction.query('create table credit (event_id text not null)', []),
    );
  });

  afterAll(async () => {
    await host.close();
    await looker.end();
    await database.drop();
  });

  beforeEach(async () => {
    store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
    merchant = await Merchant.open({
      platform,
      payments: { store, reconciliation: { sweepEveryMs: 0, intervalMs: 20 } },
    });
  });

  afterEach(async () => {
    await merchant.close();
    await store.close();
  });

  const told = async (phone: string): Promise<PaymentsEvents['payment.succeeded']> => {
    const { id } = await merchant.payments.request(aRequestFrom(phone));
    return merchant.heard.next('payment.succeeded', ({ payment }) => payment.id === id);
  };

  /** What a listener does: its effect, if this is the first time, and then perhaps it dies. */
  const credit = (event: PaymentsEvents['payment.succeeded'], dies = false): Promise<boolean> =>
    host.inTransaction(async (transaction) => {
      const first = await firstTime(transaction, event, 'credit');
      if (first) await transaction.query('insert into credit values ($1)', [event.eventId]);
      if (dies) throw new Error('it dies before its commit');
      return first;
    });

  const credits = async (eventId: string): Promise<number | null> =>
    (await looker.query('select from credit where event_id = $1', [eventId])).rowCount;

  it('sends a payment after its commit, and none after its rollback', async () => {
    const { payments, simulator } = merchant;
    let rolledBack = '';
    await expect(
      host.inTransaction(async (transaction) => {
        rolledBack = (await payments.record(aRequestFrom('+254700000021'), { transaction })).id;
        throw new Error('the order is refused');
      }),
    ).rejects.toThrow('the order is refused');
    const committed = await host.inTransaction((transaction) =>
      payments.record(aRequestFrom('+254700000022'), { transaction }),
    );
    expect(await payments.settled(committed.id)).toMatchObject({ state: 'succeeded' });
    expect(await payments.find(rolledBack)).toBeNull();
    expect(simulator.charges().map(({ phone }) => phone)).toEqual(['+254700000022']);
  });

  it('goes on after a payment that is refused because the same is in flight', async () => {
    const { payments, heard } = merchant;
    const request = aRequestFrom('+254700000023');
    const { first, refusal } = await host.inTransaction(async (transaction) => ({
      first: await payments.record(request, { transaction }),
      refusal: await payments
        .record({ ...request, idempotencyKey: `${request.idempotencyKey}-2` }, { transaction })
        .catch((error: unknown) => error),
    }));
    expect(refusal).toBeInstanceOf(PaymentInFlightError);
    await heard.next('payment.succeeded', ({ payment }) => payment.id === first.id);
  });

  it('makes an effect once, however often it is asked for, and whoever asks at once', async () => {
    const event = await told('+254700000024');
    expect(await credit(event)).toBe(true);
    const others = await Promise.all(Array.from({ length: 5 }, () => credit(event)));
    expect(others).toEqual([false, false, false, false, false]);
    expect(await credits(event.eventId)).toBe(1);
  });

  it('forgets that an effect was made with the effect', async () => {
    const event = await told('+254700000025');
    await expect(credit(event, true)).rejects.toThrow('it dies');
    expect(await credits(event.eventId)).toBe(0);
    expect(await credit(event)).toBe(true);
    expect(await credits(event.eventId)).toBe(1);
  });
});
