import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import {
  IdempotencyConflictError,
  OnPaymentEvent,
  PaymentInFlightError,
  StoreUnavailableError,
  type HostTransaction,
  type PaymentsEvents,
} from '@tillkit/payments';
import { firstTime, PostgresConfigurationError, PostgresStore } from '@tillkit/postgres';
import type { StoredEvent } from '@tillkit/payments/types';
import type pg from 'pg';
import { newAccount } from '../contracts/store-under-test.js';
import { freshDatabase, PATIENT, type TestDatabase } from '../contracts/test-database.js';
import { poolOf } from '../support/pool.js';
import { hostLibraries, type HostLibrary, type HostOrders } from '../support/host-libraries.js';
import { aRequestOfAnother, Merchant } from '../support/merchant.js';
import { runScript } from '../support/run.script.js';
import { until } from '../support/until.js';

/** Of a listener call. */
const TIMEOUT_MS = 2_000;

describe.each(hostLibraries())("The host's own transactions in $library", ({ library, open }) => {
  let database: TestDatabase;
  let host: HostLibrary;
  let store: PostgresStore;
  let merchant: Merchant;
  let orders: HostOrders;
  let ledger: Ledger;
  let observer: pg.Pool;

  /** Enters each payment in a table of the host. */
  @Injectable()
  class Ledger {
    hides = false;
    isSlow = false;

    @OnPaymentEvent('payment.succeeded', { transactional: true })
    async enter({ eventId }: PaymentsEvents['payment.succeeded'], given: unknown): Promise<void> {
      const transaction = given as never;
      if (this.isSlow) await sleep(2 * TIMEOUT_MS);
      await host.run(transaction, 'insert into credit values ($1)', eventId);
      if (!this.hides) return;
      this.hides = false;
      await host.run(transaction, 'select 1 / 0').catch(() => undefined);
    }
  }

  beforeAll(async () => {
    database = await freshDatabase();
    host = await open(database.url);
    observer = poolOf(database.url, { max: 1 });
    await observer.query(
      `create table public.shop_order (id text primary key, paid integer not null default 0);
       create table public.credit (event_id text not null)`,
    );
    store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
    merchant = await Merchant.open({
      providers: [...host.providers, Ledger],
      // These tests differ in the host's database library. The HTTP adapter plays no part.
      payments: {
        store,
        transactions: host.database,
        listeners: { retryScheduleMs: [1, 1, 1], timeoutMs: TIMEOUT_MS },
        reconciliation: { sweepEveryMs: 0, intervalMs: 20 },
      },
    });
    orders = merchant.app.get(host.providers[0]);
    ledger = merchant.app.get(Ledger);
  });

  afterAll(async () => {
    await merchant.close();
    await store.close();
    await host.close();
    await observer.end();
    await database.drop();
  });

  const rowsOf = async (text: string, ...values: string[]): Promise<unknown[]> =>
    (await observer.query<pg.QueryResultRow>(text, values)).rows;

  const succeeded = async (): Promise<PaymentsEvents['payment.succeeded']> => {
    const { id } = await merchant.payments.request(aRequestOfAnother());
    return merchant.received.next('payment.succeeded', ({ payment }) => payment.id === id);
  };

  /** Does what a listener of the host does: it makes its effect if the event is new to it, and may fail before the commit. */
  const credit = (event: PaymentsEvents['payment.succeeded'], fails = false): Promise<boolean> =>
    host.inTransaction(async (transaction) => {
      const first = await firstTime(transaction, event, 'credit');
      if (first)
        await host.run(
          transaction as never,
          'insert into credit values ($1)',
          `own ${event.eventId}`,
        );
      if (fails) throw new Error('it fails before its commit');
      return first;
    });

  const credits = async (eventId: string): Promise<number> =>
    (await rowsOf('select from credit where event_id = $1', eventId)).length;

  describe('in which a payment is recorded', () => {
    it('let it be sent after their commit, and never after their rollback', async () => {
      const { payments, simulator } = merchant;
      const [refused, accepted] = [aRequestOfAnother(), aRequestOfAnother()];
      let rolledBack = '';
      await expect(
        host.inTransaction(async (transaction) => {
          rolledBack = (await payments.record(refused, { transaction })).id;
          throw new Error('the order is refused');
        }),
      ).rejects.toThrow('the order is refused');
      const committed = await host.inTransaction((transaction) =>
        payments.record(accepted, { transaction }),
      );
      expect(await payments.settled(committed.id)).toMatchObject({ state: 'succeeded' });
      expect(await payments.find(rolledBack)).toBeNull();
      const charged = simulator.charges().map(({ phone }) => phone);
      expect(charged).toContain(accepted.subscriber.phoneNumber);
      expect(charged).not.toContain(refused.subscriber.phoneNumber);
    });

    it('go on after a repeated key, another request under a key, and a payment in flight', async () => {
      const { payments } = merchant;
      const request = aRequestOfAnother();
      const { idempotencyKey } = request;
      const error = (failed: unknown): unknown => failed;
      const results = await host.inTransaction(async (transaction) => [
        (await payments.record(request, { transaction })).id,
        (await payments.record(request, { transaction })).id,
        await payments
          .record({ ...aRequestOfAnother(), idempotencyKey }, { transaction })
          .catch(error),
        await payments
          .record({ ...request, idempotencyKey: `${idempotencyKey}-2` }, { transaction })
          .catch(error),
      ]);
      expect(results[1]).toBe(results[0]);
      expect(results[2]).toBeInstanceOf(IdempotencyConflictError);
      expect(results[3]).toBeInstanceOf(PaymentInFlightError);
      expect(await payments.settled(results[0] as string)).toMatchObject({ state: 'succeeded' });
    });

    it('go on while another open transaction holds the key', async () => {
      const { payments } = merchant;
      const request = aRequestOfAnother();
      const id = await host.inTransaction(async (transaction) => {
        const recorded = await payments.record(request, { transaction });
        await host.inTransaction(async (rival) => {
          const waiting = payments.record(request, { transaction: rival });
          await expect(waiting).rejects.toThrow(StoreUnavailableError);
          await host.run(rival as never, 'insert into credit values ($1)', request.idempotencyKey);
        });
        return recorded.id;
      });
      expect(await credits(request.idempotencyKey)).toBe(1);
      expect(await payments.settled(id)).toMatchObject({ state: 'succeeded' });
    });

    it('take it back with a savepoint that is rolled back', async () => {
      const { payments } = merchant;
      const [inner, outer] = [aRequestOfAnother(), aRequestOfAnother()];
      let takenBack = '';
      const { id } = await host.inTransaction(async (transaction) => {
        const refused = host.nested(transaction as never, async (savepoint) => {
          takenBack = (await payments.record(inner, { transaction: savepoint })).id;
          throw new Error('not this part');
        });
        await expect(refused).rejects.toThrow('not this part');
        return payments.record(outer, { transaction });
      });
      expect(await payments.settled(id)).toMatchObject({ state: 'succeeded' });
      expect(await payments.find(takenBack)).toBeNull();
    });

    it("give the host its library's error when PostgreSQL cannot serialise them", async () => {
      const { payments } = merchant;
      const request = aRequestOfAnother();
      const late = host.inTransaction(async (transaction) => {
        const isolation = 'set transaction isolation level repeatable read';
        await host.run(transaction as never, isolation);
        await host.run(transaction as never, 'select count(*) from shop_order');
        await payments.request(request);
        return payments.record(request, { transaction });
      });
      const error = await late.catch((failed: unknown) => failed);
      expect(host.sqlState(error)).toBe('40001');
    });

    it('are refused, with what came and the cure, when they are none', async () => {
      for (const outside of host.outside) {
        const request = aRequestOfAnother();
        const recording = merchant.payments.record(request, {
          transaction: outside as HostTransaction,
        });
        await expect(recording).rejects.toThrow(PostgresConfigurationError);
        await expect(recording).rejects.toThrow(/`transaction`.*Nothing was written.*Pass /);
        expect(await merchant.payments.findByIdempotencyKey(request.idempotencyKey)).toBeNull();
      }
    });
  });

  describe('in which an effect is recorded', () => {
    it('make it once, however many calls run at the same time', async () => {
      const event = await succeeded();
      expect(await credit(event)).toBe(true);
      const others = await Promise.all(Array.from({ length: 5 }, () => credit(event)));
      expect(others).toEqual([false, false, false, false, false]);
      expect(await credits(`own ${event.eventId}`)).toBe(1);
    });

    it('take back its record with the effect', async () => {
      const event = await succeeded();
      await expect(credit(event, true)).rejects.toThrow('it fails before its commit');
      expect(await credits(`own ${event.eventId}`)).toBe(0);
      expect(await credit(event)).toBe(true);
      expect(await credits(`own ${event.eventId}`)).toBe(1);
    });
  });

  it('leave nothing when their process is killed before their commit', async () => {
    const [account, eventId] = [newAccount(), randomUUID()];
    const program = fileURLToPath(new URL('../support/killed.transaction.ts', import.meta.url));
    const { code, output } = await runScript(program, library, database.url, account, eventId);
    expect({ code, output }).toEqual({ code: null, output: 'recorded true\n' });
    const left = `select from tillkit.operation where account = $1
      union all select from tillkit.effect where account = $1`;
    expect(await rowsOf(left, account)).toEqual([]);
  });

  describe('in which a listener is called', () => {
    const paid = async ({ idempotencyKey }: { idempotencyKey: string }): Promise<number> => {
      const rows = await rowsOf('select paid from shop_order where id = $1', idempotencyKey);
      return (rows[0] as { paid: number }).paid;
    };

    const callOf = async (id: string, listener: string): Promise<StoredEvent['calls'][number]> => {
      const events = await store.events.list('default', id);
      const { calls } = events.find(({ name }) => name === 'payment.succeeded')!;
      return calls.find((call) => call.listener === listener)!;
    };

    it('mark its order as paid, once', async () => {
      const request = aRequestOfAnother();
      const { id } = await orders.place(request.idempotencyKey, request);
      await merchant.payments.settled(id);
      await until(async () => (await callOf(id, 'Orders.paid'))?.state === 'done');
      expect(await paid(request)).toBe(1);
    });

    it('mark nothing in a call that fails, and the order once in the call that repeats it', async () => {
      await observer.query(
        `create sequence attempt;
         create function fail_first() returns trigger language plpgsql as $body$
         begin
           if nextval('attempt') = 1 then raise exception 'the first attempt fails'; end if;
           return new;
         end $body$;
         create trigger fails after update on shop_order execute function fail_first()`,
      );
      const request = aRequestOfAnother();
      const { id } = await orders.place(request.idempotencyKey, request);
      await merchant.payments.settled(id);
      await until(async () => (await callOf(id, 'Orders.paid'))?.state === 'done');
      await observer.query('drop trigger fails on shop_order');
      expect(await callOf(id, 'Orders.paid')).toMatchObject({ attempts: 2 });
      expect(await paid(request)).toBe(1);
    });

    it('make no effect when the listener hides an error, after which PostgreSQL would roll back a commit in silence', async () => {
      ledger.hides = true;
      const { payment, eventId } = await succeeded();
      await until(async () => (await callOf(payment.id, 'Ledger.enter'))?.state === 'done');
      expect(await callOf(payment.id, 'Ledger.enter')).toMatchObject({ attempts: 2 });
      expect(await credits(eventId)).toBe(1);
    });

    it('make their effect once when the call ends after its time: its late commit counts', async () => {
      ledger.isSlow = true;
      const { payment, eventId } = await succeeded();
      await until(async () => (await callOf(payment.id, 'Ledger.enter'))?.state === 'done');
      ledger.isSlow = false;
      expect(await credits(eventId)).toBe(1);
    });
  });
});
