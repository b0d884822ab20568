import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentInFlightError, type PaymentsEvents } from '@tillkit/payments';
import { firstTime, PostgresStore } from '@tillkit/postgres';
import type pg from 'pg';
import { freshDatabase, PATIENT, type TestDatabase } from '../contracts/test-database.js';
import { poolOf } from '../support/pool.js';
import { hostLibraries, type HostLibrary } from '../support/host-libraries.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';

describe.each(await hostLibraries())(
  "The host's own database transaction in $library",
  ({ open }) => {
    let database: TestDatabase;
    let host: HostLibrary;
    let store: PostgresStore;
    let merchant: Merchant;
    let observer: pg.Pool;

    beforeAll(async () => {
      database = await freshDatabase();
      host = await open(database.url);
      observer = poolOf(database.url, { max: 1 });
      await host.inTransaction((transaction) =>
        transaction.query('create table credit (event_id text not null)', []),
      );
    });

    afterAll(async () => {
      await host.close();
      await observer.end();
      await database.drop();
    });

    beforeEach(async () => {
      store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
      merchant = await Merchant.open({
        // These tests differ in the host's database library. The HTTP adapter plays no part.
        payments: { store, reconciliation: { sweepEveryMs: 0, intervalMs: 20 } },
      });
    });

    afterEach(async () => {
      await merchant.close();
      await store.close();
    });

    const succeeded = async (phone: string): Promise<PaymentsEvents['payment.succeeded']> => {
      const { id } = await merchant.payments.request(aRequestFrom(phone));
      return merchant.received.next('payment.succeeded', ({ payment }) => payment.id === id);
    };

    /** Does what a listener of the host does: it makes its effect if the event is new to it, and may fail before the commit. */
    const credit = (event: PaymentsEvents['payment.succeeded'], fails = false): Promise<boolean> =>
      host.inTransaction(async (transaction) => {
        const first = await firstTime(transaction, event, 'credit');
        if (first) await transaction.query('insert into credit values ($1)', [event.eventId]);
        if (fails) throw new Error('it fails before its commit');
        return first;
      });

    const credits = async (eventId: string): Promise<number | null> =>
      (await observer.query('select from credit where event_id = $1', [eventId])).rowCount;

    it('lets a payment be sent after its commit, and never after its rollback', async () => {
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

    it('can continue after a payment was refused because another one is in flight', async () => {
      const { payments, received } = merchant;
      const request = aRequestFrom('+254700000023');
      const { first, refusal } = await host.inTransaction(async (transaction) => ({
        first: await payments.record(request, { transaction }),
        refusal: await payments
          .record({ ...request, idempotencyKey: `${request.idempotencyKey}-2` }, { transaction })
          .catch((error: unknown) => error),
      }));
      expect(refusal).toBeInstanceOf(PaymentInFlightError);
      await received.next('payment.succeeded', ({ payment }) => payment.id === first.id);
    });

    it('makes the effect of an event once, however many calls run at the same time', async () => {
      const event = await succeeded('+254700000024');
      expect(await credit(event)).toBe(true);
      const others = await Promise.all(Array.from({ length: 5 }, () => credit(event)));
      expect(others).toEqual([false, false, false, false, false]);
      expect(await credits(event.eventId)).toBe(1);
    });

    it('rolls back the record of an effect with the effect', async () => {
      const event = await succeeded('+254700000025');
      await expect(credit(event, true)).rejects.toThrow('it fails before its commit');
      expect(await credits(event.eventId)).toBe(0);
      expect(await credit(event)).toBe(true);
      expect(await credits(event.eventId)).toBe(1);
    });
  },
);
