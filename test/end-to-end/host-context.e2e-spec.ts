import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { OnPaymentEvent, type PaymentsEvents } from '@tillkit/payments';
import { firstTime, PostgresStore } from '@tillkit/postgres';
import type pg from 'pg';
import { freshDatabase, PATIENT, type TestDatabase } from '../contracts/test-database.js';
import { transactionOn } from '../support/host-libraries.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';
import { PLATFORMS } from '../support/platforms.js';
import { poolOf } from '../support/pool.js';

/** The transaction of the async context, as transactional decorators of hosts keep it. */
const current = new AsyncLocalStorage<pg.PoolClient>();
let pool: pg.Pool;

/** Joins the transaction of the async context, or begins one. */
async function transactional<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const joined = current.getStore();
  if (joined) return work(joined);
  return transactionOn(pool, (client) => current.run(client, () => work(client)));
}

@Injectable()
class Credits {
  @OnPaymentEvent('payment.failed')
  async credit(event: PaymentsEvents['payment.failed']): Promise<void> {
    await transactional(async (client) => {
      if (await firstTime(client, event, 'credit'))
        await client.query('insert into credit values ($1)', [event.payment.id]);
    });
  }
}

describe.each(PLATFORMS)(
  'a host on $platform that keeps its transaction in the async context',
  (platform) => {
    let database: TestDatabase;
    let store: PostgresStore;
    let merchant: Merchant;
    beforeAll(async () => {
      database = await freshDatabase();
      pool = poolOf(database.url);
      await pool.query('create table credit (payment_id text not null)');
    });
    afterAll(async () => {
      await pool.end();
      await database.drop();
    });
    beforeEach(async () => {
      store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
      merchant = await Merchant.open({
        platform,
        payments: { store, reconciliation: { sweepEveryMs: 0, intervalMs: 20 } },
        providers: [Credits],
      });
    });
    afterEach(async () => {
      await merchant.close();
      await store.close();
    });
    const credited = async (id: string): Promise<boolean> =>
      ((await pool.query('select from credit where payment_id = $1', [id])).rowCount ?? 0) > 0;

    it('keeps what a listener did, although the transaction in which the host asked is rolled back', async () => {
      const { payments, received } = merchant;
      // After this, token and clock are known.
      await payments.request(aRequestFrom('+254700000031'));
      const refused = aRequestFrom('+254700000032', { tillNumber: '999999' });
      let id = '';
      const asking = transactional(async () => {
        ({ id } = await payments.request(refused));
        await received.next('payment.failed', ({ payment }) => payment.id === id);
        // The own listener has the same time to end as the other one.
        await new Promise((resolve) => setTimeout(resolve, 200));
        throw new Error('the host refuses the order');
      });
      await expect(asking).rejects.toThrow('refuses the order');
      while (!(await credited(id))) await new Promise((resolve) => setTimeout(resolve, 20));
      expect((await payments.find(id))?.state).toBe('failed');
    });
  },
);
