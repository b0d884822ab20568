import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { HostTransaction } from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import type pg from 'pg';
import { freshDatabase, PATIENT, type TestDatabase } from '../contracts/test-database.js';
import { transactionOn } from '../support/host-libraries.js';
import { aPayout, aRequest, Merchant } from '../support/merchant.js';
import { poolOf } from '../support/pool.js';

interface Recorded {
  readonly id: string;
  readonly state: string;
}

/** An operation that a host records with its own order. */
interface Recording {
  name: string;
  record(merchant: Merchant, transaction: HostTransaction): Promise<Recorded>;
  find(merchant: Merchant, id: string): Promise<Recorded | null>;
  /** The events that must come after the commit; a payment link has none until somebody pays it. */
  event: 'payout.succeeded' | 'refund.succeeded' | null;
  /** The platform gets the request at this path. */
  path: string;
}

const RECORDINGS: readonly Recording[] = [
  {
    name: 'payout',
    record: ({ payouts }, transaction) => payouts.record(aPayout(), { transaction }),
    find: ({ payouts }, id) => payouts.find(id),
    event: 'payout.succeeded',
    path: '/send_money',
  },
  {
    name: 'refund',
    record: async ({ refunds, received }, transaction) => {
      const { payment } = await received.next('payment.succeeded');
      const why = 'out of stock';
      const refund = { idempotencyKey: randomUUID(), paymentId: payment.id, why };
      return refunds.record(refund, { transaction });
    },
    find: ({ refunds }, id) => refunds.find(id),
    event: 'refund.succeeded',
    path: '/reversals',
  },
  {
    name: 'payment link',
    record: ({ links }, transaction) => {
      const amount = { currency: 'KES', value: '100.00' };
      return links.record({ idempotencyKey: randomUUID(), amount }, { transaction });
    },
    find: ({ links }, id) => links.find(id),
    event: null,
    path: '/payment_links',
  },
];

describe.each(RECORDINGS)(
  "A $name in the host's own database transaction",
  ({ record, find, event, path }) => {
    let database: TestDatabase;
    let pool: pg.Pool;
    let store: PostgresStore;
    let merchant: Merchant;

    beforeEach(async () => {
      database = await freshDatabase();
      pool = poolOf(database.url);
      store = new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
      merchant = await Merchant.open({
        payments: { store, reconciliation: { sweepEveryMs: 0, scheduleMs: [20], intervalMs: 20 } },
        simulator: { openingBalances: { '514459': 10_000 } },
      });
      await merchant.payments.request(aRequest());
    });

    afterEach(async () => {
      await merchant.close();
      await store.close();
      await pool.end();
      await database.drop();
    });

    const sent = (): number => merchant.creates(path);

    it('is sent after the commit, once', async () => {
      const { id } = await transactionOn(pool, async (transaction) => {
        const recorded = await record(merchant, transaction);
        expect(recorded.state).toBe('created');
        expect(await find(merchant, recorded.id)).toBeNull();
        expect(sent()).toBe(0);
        return recorded;
      });
      if (event) await merchant.received.next(event);
      else while ((await find(merchant, id))?.state !== 'pending') await merchant.simulator.idle();
      await merchant.simulator.idle();
      expect(sent()).toBe(1);
    });

    it('is never sent after a rollback', async () => {
      let id = '';
      await expect(
        transactionOn(pool, async (transaction) => {
          ({ id } = await record(merchant, transaction));
          throw new Error('the order is refused');
        }),
      ).rejects.toThrow('the order is refused');
      await merchant.simulator.idle();
      expect(await find(merchant, id)).toBeNull();
      expect(sent()).toBe(0);
    });
  },
);
