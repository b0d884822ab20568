import { describe, expect, it } from '@jest/globals';
import type { LedgerChange, OperationRecord } from '@tillkit/payments/internal/store';
import {
  aDelivery,
  aPayment,
  anEvent,
  changed,
  newAccount,
  ledgerChange,
  recorded,
  times,
  transactionChange,
  type StoreUnderTest,
  LISTENER,
  listen,
} from './store-under-test.js';

export function describeChangesWithDeliveries(current: () => StoreUnderTest): void {
  describe('a change that comes with the delivery that proves it', () => {
    const succeeds = (payment: OperationRecord, reference: string): LedgerChange =>
      ledgerChange(
        payment,
        { state: 'succeeded', platformId: `platform-${reference}` },
        {
          ...transactionChange(payment.account, reference, null),
          events: [anEvent(payment.account, payment.id)],
        },
      );

    it('is made together with it', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const payment = await recorded(store, aPayment(account));
      const delivery = aDelivery(account, { body: Buffer.from([0, 0xff, 0x7b]) });
      const claim = { listeners: [LISTENER], leaseMs: 60_000 };
      const change = { ...succeeds(payment, 'R1'), claim };
      const result = await store.ledger.commitWithDelivery(change, delivery, 30_000);
      expect(result).toMatchObject({
        kind: 'committed',
        at: expect.any(Date),
        calls: [{ listener: LISTENER, token: expect.any(String) }],
      });
      expect(await store.deliveries.find(account, delivery.id)).toMatchObject({
        ...delivery,
        state: 'done',
        attempts: 1,
        duplicates: 0,
        lastError: null,
      });
      expect(await store.deliveries.claim([account], 'webhook', 1, 1_000)).toEqual([]);
      expect(await store.operations.find(account, payment.id)).toMatchObject({
        state: 'succeeded',
      });
      expect(await store.transactions.find(account, 'R1')).toMatchObject({ version: 1 });
    });

    it('leaves the delivery pending and claimed when it is refused', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account));
      await changed(store, payment, { checks: 1 });
      const delivery = aDelivery(account);
      const result = await store.ledger.commitWithDelivery(
        succeeds(payment, 'R1'),
        delivery,
        30_000,
      );
      expect(result).toEqual({
        kind: 'stored',
        token: expect.any(String),
        receivedAt: expect.any(Date),
      });
      expect(await store.transactions.find(account, 'R1')).toBeNull();
      expect(await store.deliveries.find(account, delivery.id)).toMatchObject({
        ...delivery,
        state: 'pending',
        attempts: 1,
      });
      expect(await store.deliveries.claim([account], 'webhook', 1, 1_000)).toEqual([]);
      await advance(30_001);
      expect(await store.deliveries.claim([account], 'webhook', 1, 1_000)).toMatchObject([
        { id: delivery.id, attempts: 1 },
      ]);
    });

    it('leaves the delivery pending when another operation has the platform id', async () => {
      const { store } = current();
      const account = newAccount();
      const other = await recorded(store, aPayment(account));
      await changed(store, other, { platformId: 'platform-R1' });
      const payment = await recorded(store, aPayment(account));
      const delivery = aDelivery(account);
      const results = await Promise.all([
        store.ledger.commitWithDelivery(succeeds(payment, 'R1'), delivery, 30_000),
        store.ledger.commitWithDelivery(
          succeeds(await recorded(store, aPayment(account)), 'R2'),
          aDelivery(account),
          30_000,
        ),
      ]);
      expect(results.map(({ kind }) => kind)).toEqual(['stored', 'committed']);
      expect(await store.deliveries.find(account, delivery.id)).toMatchObject({ state: 'pending' });
    });

    it('is not made for a duplicate', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account));
      const delivery = aDelivery(account);
      await store.deliveries.store(delivery);
      const again = { ...delivery, id: `${delivery.id}-again` };
      expect(await store.ledger.commitWithDelivery(succeeds(payment, 'R1'), again, 30_000)).toEqual(
        {
          kind: 'duplicate',
        },
      );
      expect(await store.operations.find(account, payment.id)).toMatchObject({ version: 1 });
      expect(await store.deliveries.find(account, again.id)).toBeNull();
      expect(await store.deliveries.find(account, delivery.id)).toMatchObject({ state: 'pending' });
    });

    it('is made once when the delivery comes many times at once', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account));
      const delivery = aDelivery(account);
      const results = await Promise.all(
        times(10, (n) =>
          store.ledger.commitWithDelivery(
            succeeds(payment, 'R1'),
            { ...delivery, id: `${delivery.id}-${n}` },
            30_000,
          ),
        ),
      );
      expect(results.map(({ kind }) => kind).toSorted()).toEqual([
        'committed',
        ...times(9, () => 'duplicate'),
      ]);
    });
  });
}
