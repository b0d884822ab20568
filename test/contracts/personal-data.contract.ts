import { describe, expect, it } from '@jest/globals';
import {
  phoneHash,
  type NewEvent,
  type PersonIn,
  type PersonalRecord,
} from '@tillkit/payments/internal/store';
import {
  aDelivery,
  aPayment,
  aSum,
  aTransaction,
  anEvent,
  changed,
  claimCalls,
  commitEvents,
  commitTo,
  LISTENER,
  listen,
  newAccount,
  recorded,
  transactionChange,
  type StoreUnderTest,
} from './store-under-test.js';

const DAY = 86_400_000;
const JANE = '+254700000001';
const JOHN = '+254700000002';

/** A store finds and redacts all that it keeps of one customer. */
export function describePersonalData(current: () => StoreUnderTest): void {
  const of = (phone: string, from = -DAY, to = 36_500 * DAY): PersonIn => ({
    digits: phone.slice(1),
    hash: phoneHash(phone),
    from: new Date(Date.now() + from),
    to: new Date(Date.now() + to),
    refunds: [],
  });
  const named = (records: readonly PersonalRecord[]): string[] =>
    records.map(({ kind, id }) => `${kind} ${id}`).toSorted();
  const find = async (account: string, person = of(JANE)): Promise<string[]> =>
    named(await current().store.retention.findOf(account, person));
  const paying = (account: string, phoneNumber: string) =>
    recorded(
      current().store,
      aPayment(account, { subscriber: { firstName: 'J', lastName: 'D', phoneNumber } }),
    );

  describe('the personal data of one customer', () => {
    it('is found in operations, transactions and deliveries, and that of nobody else', async () => {
      const { store } = current();
      const account = newAccount();
      const { id } = await paying(account, JANE);
      await paying(account, JOHN);
      for (const [reference, phone] of [
        ['JANES', JANE],
        ['JOHNS', JOHN],
      ] as const) {
        const shown = aTransaction({ reference, senderPhoneNumber: phone });
        const sum = aSum({ received: shown, payerHash: phoneHash(phone) });
        await commitTo(store, transactionChange(account, reference, null, [sum]));
      }
      const hers = aDelivery(account, { body: Buffer.from(`{"phone":"254700000001"}`) });
      const hash = Buffer.from(`{"hashed":"${phoneHash(JANE).toUpperCase()}"}`);
      const hashed = aDelivery(account, { body: hash });
      for (const delivery of [hers, hashed, aDelivery(account)])
        await store.deliveries.store(delivery);
      expect(await find(account)).toEqual(
        [
          `operation ${id}`,
          'transaction JANES',
          `delivery ${hers.id}`,
          `delivery ${hashed.id}`,
        ].toSorted(),
      );
      expect(await find(newAccount())).toEqual([]);
      expect(await find(account, of(JANE, -3 * DAY, -2 * DAY))).toEqual([]);
    });

    it('is returned with the stored rows that contain it', async () => {
      const { store } = current();
      const account = newAccount();
      await paying(account, JANE);
      await store.deliveries.store(
        aDelivery(account, { body: Buffer.from('{"p":"254700000001"}') }),
      );
      const records = await store.retention.findOf(account, of(JANE));
      expect(JSON.stringify(records)).toContain(JANE);
      expect(records).toContainEqual(
        expect.objectContaining({ kind: 'delivery', data: { body: '{"p":"254700000001"}' } }),
      );
      expect((await store.retention.oldestPersonal(account))!.getTime()).toBeLessThanOrEqual(
        Math.min(...records.map(({ at }) => at.getTime())),
      );
    });

    it('is redacted where it is finished, and stays where it is open', async () => {
      const { store } = current();
      const account = newAccount();
      const done = await paying(account, JANE);
      await changed(store, done, {
        state: 'succeeded',
        platformId: 'one',
        transaction: aTransaction({ senderPhoneNumber: JANE }),
      });
      const open = await recorded(
        store,
        aPayment(account, {
          subscriber: { firstName: 'J', lastName: 'D', phoneNumber: JANE },
          amountMinor: '500',
        }),
      );
      const other = await paying(account, JOHN);
      await changed(store, other, { state: 'succeeded', platformId: 'two' });
      expect(await store.retention.redactOf(account, of(JANE))).toBe(1);
      expect(await find(account)).toEqual([`operation ${open.id}`]);
      expect(await store.operations.find(account, done.id)).toMatchObject({
        state: 'succeeded',
        idempotencyKey: done.idempotencyKey,
        subscriber: { firstName: '', lastName: '', phoneNumber: '' },
        transaction: { senderPhoneNumber: null },
      });
      expect(await find(account, of(JOHN))).toEqual([`operation ${other.id}`]);
      expect(await store.retention.redactOf(account, of(JANE))).toBe(0);
    });

    it('of a delivery is removed with the delivery, unless the delivery waits', async () => {
      const { store } = current();
      const account = newAccount();
      const body = (n: number): Buffer => Buffer.from(`{"n":${n},"p":"254700000001"}`);
      const [done, waiting] = [1, 2].map((n) => aDelivery(account, { body: body(n) }));
      await store.deliveries.store(done!);
      const [claim] = await store.deliveries.claim([account], done!.kind, 1, 60_000);
      await store.deliveries.finish(claim!, { kind: 'done' });
      await store.deliveries.store(waiting!);
      expect(await store.retention.redactOf(account, of(JANE))).toBe(1);
      expect(await find(account)).toEqual([`delivery ${waiting!.id}`]);
    });

    it('of a transaction without an owner stays as long as it may be matched', async () => {
      const { store } = current();
      const account = newAccount();
      const sum = (reference: string, more = {}) =>
        aSum({
          received: aTransaction({ reference, senderPhoneNumber: JANE }),
          payerHash: phoneHash(JANE),
          ...more,
        });
      await commitTo(
        store,
        transactionChange(account, 'TIED', null, [sum('TIED', { paymentId: 'p' })]),
      );
      await commitTo(store, transactionChange(account, 'FREE', null, [sum('FREE')]));
      expect(await store.retention.redactOf(account, of(JANE))).toBe(1);
      expect(await find(account)).toEqual(['transaction FREE']);
      const tied = await store.transactions.find(account, 'TIED');
      expect(tied?.sums[0]).toMatchObject({
        payerHash: null,
        received: { senderPhoneNumber: null },
      });
    });

    it('of a dead letter is redacted, and that of a call that waits is not', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const [dead, waiting] = ['dead', 'waiting'].map((stream) => {
        const event = anEvent(account, stream);
        return { ...event, payload: { ...event.payload, senderPhoneNumber: JANE } };
      }) as unknown as [NewEvent, NewEvent];
      await commitEvents(store, account, dead);
      const [call] = await claimCalls(store, account, [LISTENER], 1, 60_000);
      await store.events.finishCall(call!, { kind: 'given_up', error: `failed for ${JANE}` });
      await commitEvents(store, account, waiting);
      expect(await store.retention.redactOf(account, of(JANE))).toBe(1);
      expect(await find(account)).toEqual([`event ${waiting.id}`]);
      const letters = (await store.events.listDeadLetters(account, {}, { limit: 9 })).items;
      expect(JSON.stringify(letters)).not.toContain('254700000001');
    });
  });
}
