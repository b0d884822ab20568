import { describe, expect, it } from '@jest/globals';
import {
  aDelivery,
  anEvent,
  aPayment,
  claimCalls,
  commitEvents,
  ledgerChange,
  LISTENER,
  listen,
  newAccount,
  recorded,
  transactionChange,
  type StoreUnderTest,
} from './store-under-test.js';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

export function describeTraceparents(current: () => StoreUnderTest): void {
  describe('the span in which something was written', () => {
    it('is kept with an operation', async () => {
      const { store } = current();
      const account = newAccount();
      const traced = await recorded(store, { ...aPayment(account), traceparent: TRACEPARENT });
      expect(traced.traceparent).toBe(TRACEPARENT);
      expect(await store.operations.find(account, traced.id)).toMatchObject({
        traceparent: TRACEPARENT,
      });
      const untraced = await recorded(store, aPayment(account));
      expect(await store.operations.find(account, untraced.id)).not.toHaveProperty('traceparent');
    });

    it('is kept with a delivery, also for the process that claims it', async () => {
      const { store } = current();
      const account = newAccount();
      const traced = aDelivery(account, { traceparent: TRACEPARENT });
      await store.deliveries.store(traced);
      expect(await store.deliveries.find(account, traced.id)).toMatchObject({
        traceparent: TRACEPARENT,
      });
      const claimed = await store.deliveries.claim([account], 'webhook', 10, 1_000);
      expect(claimed).toMatchObject([{ id: traced.id, traceparent: TRACEPARENT }]);
      const untraced = aDelivery(account);
      await store.deliveries.store(untraced);
      expect(await store.deliveries.find(account, untraced.id)).not.toHaveProperty('traceparent');
    });

    it('is kept with a delivery that comes with its change', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account));
      const delivery = aDelivery(account, { traceparent: TRACEPARENT });
      const change = ledgerChange(
        payment,
        { state: 'succeeded' },
        transactionChange(account, 'R1', null),
      );
      await store.ledger.commitWithDelivery(change, delivery, 1_000);
      expect(await store.deliveries.find(account, delivery.id)).toMatchObject({
        traceparent: TRACEPARENT,
      });
    });

    it('is kept with an event, for the process that calls its listeners', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const traced = { ...anEvent(account, 'stream 1'), traceparent: TRACEPARENT };
      const untraced = anEvent(account, 'stream 2');
      await commitEvents(store, account, traced, untraced);
      const calls = await claimCalls(store, account, [LISTENER], 10, 1_000);
      const of = (id: string) => calls.find(({ eventId }) => eventId === id);
      expect(of(traced.id)).toMatchObject({ traceparent: TRACEPARENT });
      expect(of(untraced.id)).toBeDefined();
      expect(of(untraced.id)).not.toHaveProperty('traceparent');
    });
  });
}
