import { describe, expect, it } from '@jest/globals';
import {
  phoneHash,
  type NewEvent,
  type NewOperationRecord,
  type OperationRecord,
  type PersonIn,
} from '@tillkit/payments/internal/store';
import {
  aDelivery,
  aPayment,
  aPayout,
  aRefund,
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
  type NewPayout,
  type NewRefund,
  type StoreUnderTest,
} from './store-under-test.js';

const DAY = 86_400_000;
const JANE = '+254700000001';
const JOHN = '+254700000002';

const wallet = (phoneNumber: string, description: string) =>
  ({
    type: 'mobile_wallet',
    phoneNumber,
    network: 'Safaricom',
    amount: '50.00',
    description,
  }) as const;

const wages = (account: string): NewPayout =>
  aPayout(account, {
    guard: { keys: [{ key: 'a'.repeat(64) }, { key: 'b'.repeat(64) }] },
    transfers: [
      { type: 'mobile_wallet', amount: '50.00' },
      { type: 'mobile_wallet', amount: '50.00' },
    ],
    recipients: [wallet(JANE, 'Wages of Jane'), wallet(JOHN, 'Wages of John')],
    metadata: { month: 'March' },
    requestedBy: 'the boss',
  });

const refundOf = (account: string, paymentId: string | null, reference: string): NewRefund =>
  aRefund(account, { paymentId, reference, why: 'Jane changed her mind', requestedBy: 'joe' });

/** Rows that are about several persons, and refunds, which name none. */
export function describeSharedData(current: () => StoreUnderTest): void {
  const of = (phone: string, refunds: readonly string[] = []): PersonIn => ({
    digits: phone.slice(1),
    hash: phoneHash(phone),
    from: new Date(Date.now() - 36_500 * DAY),
    to: new Date(Date.now() + 36_500 * DAY),
    refunds,
  });
  const record = (operation: NewOperationRecord): Promise<OperationRecord> =>
    recorded(current().store, operation);
  const found = async (account: string, person: PersonIn): Promise<string[]> =>
    (await current().store.retention.findOf(account, person))
      .map(({ kind, id }) => `${kind} ${id}`)
      .toSorted();
  const janesWith = async (account: string): Promise<PersonIn> =>
    of(JANE, await current().store.retention.refundsOf(account, of(JANE)));
  /** Returns a payment of Jane and its refund. Both are final. */
  const refunded = async (account: string): Promise<[OperationRecord, OperationRecord]> => {
    const { store } = current();
    const payment = await record(
      aPayment(account, { subscriber: { firstName: 'J', lastName: 'D', phoneNumber: JANE } }),
    );
    await changed(store, payment, {
      state: 'reversed',
      platformId: 'the-payment',
      transaction: aTransaction({ reference: 'PAID', senderPhoneNumber: JANE }),
    });
    const refund = await record(refundOf(account, payment.id, 'PAID'));
    return [
      payment,
      await changed(store, refund, { state: 'succeeded', platformId: 'the-refund' }),
    ];
  };

  describe('a row about several persons', () => {
    it('of a payout loses the recipient who asks, and keeps the others with amounts and states', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const payout = await record(wages(account));
      await changed(
        store,
        payout,
        {
          state: 'succeeded',
          platformId: 'wages',
          outcome: [
            { state: 'paid', transactionReference: 'ONE', errors: ['for Jane'] },
            { state: 'paid', transactionReference: 'TWO', errors: ['for John'] },
          ],
        },
        { history: [{ via: 'review', what: 'note', detail: `Jane has ${JANE}` }] },
      );
      expect(await store.retention.redactOf(account, of(JANE))).toBe(0);
      await advance(11 * 60_000);
      expect(await store.retention.redactOf(account, of(JANE))).toBe(1);
      expect(await found(account, of(JANE))).toEqual([]);
      expect(await found(account, of(JOHN))).toEqual([`operation ${payout.id}`]);
      expect(await store.operations.find(account, payout.id)).toMatchObject({
        recipients: [null, wallet(JOHN, 'Wages of John')],
        transfers: payout.kind === 'payout' && wages(account).transfers,
        outcome: [
          { state: 'paid', transactionReference: 'ONE', errors: [] },
          { state: 'paid', transactionReference: 'TWO', errors: ['for John'] },
        ],
        metadata: { month: 'March' },
        requestedBy: 'the boss',
      });
      expect(JSON.stringify(await store.operations.history(account, payout.id))).not.toContain(
        '254700000001',
      );
      expect(await store.retention.redactOf(account, of(JANE))).toBe(0);
      expect(await store.retention.redactOf(account, of(JOHN))).toBe(1);
      expect(await store.operations.find(account, payout.id)).toMatchObject({
        recipients: [],
        metadata: null,
      });
    });

    it('of a payout that is open stays, and is named', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const payout = await record(wages(account));
      await changed(store, payout, { state: 'pending', platformId: 'open' });
      await advance(DAY);
      expect(await store.retention.redactOf(account, of(JANE))).toBe(0);
      expect(await found(account, of(JANE))).toEqual([`operation ${payout.id}`]);
    });

    it('of a delivery loses the part of the customer, unless the delivery waits', async () => {
      const { store } = current();
      const account = newAccount();
      const body = (id: string): Buffer =>
        Buffer.from(
          JSON.stringify({
            id,
            destinations: [
              { type: 'mobile_wallet', phone_number: JANE.slice(1), name: 'Jane', amount: 50 },
              { type: 'mobile_wallet', phone_number: JOHN.slice(1), name: 'John', amount: 50 },
            ],
          }),
        );
      const [done, waiting] = ['done', 'waiting'].map((id) =>
        aDelivery(account, { body: body(id) }),
      );
      await store.deliveries.store(done!);
      const [claim] = await store.deliveries.claim([account], done!.kind, 1, 60_000);
      await store.deliveries.finish(claim!, { kind: 'done' });
      await store.deliveries.store(waiting!);
      expect(await store.retention.redactOf(account, of(JANE))).toBe(1);
      expect(await found(account, of(JANE))).toEqual([`delivery ${waiting!.id}`]);
      const left = JSON.parse((await store.deliveries.find(account, done!.id))!.body.toString());
      expect(left).toEqual({
        id: 'done',
        destinations: [
          { type: 'mobile_wallet', phone_number: null, name: null, amount: 50 },
          { type: 'mobile_wallet', phone_number: JOHN.slice(1), name: 'John', amount: 50 },
        ],
      });
      expect(await found(account, of(JOHN))).toHaveLength(2);
    });

    it('of a dead letter loses the part of the customer', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const event = anEvent(account, 'wages');
      const payout = {
        id: 'wages',
        destinations: [
          { type: 'mobile_wallet', amount: '50.00', recipient: wallet(JANE, 'of Jane') },
          { type: 'mobile_wallet', amount: '50.00', recipient: wallet(JOHN, 'of John') },
        ],
      };
      await commitEvents(store, account, {
        ...event,
        payload: { ...event.payload, payout },
      } as unknown as NewEvent);
      const [call] = await claimCalls(store, account, [LISTENER], 1, 60_000);
      await store.events.finishCall(call!, { kind: 'given_up', error: `failed for ${JANE}` });
      expect(await store.retention.redactOf(account, of(JANE))).toBe(1);
      expect(await found(account, of(JANE))).toEqual([]);
      expect(await found(account, of(JOHN))).toEqual([`event ${event.id}`]);
      expect(
        JSON.stringify((await store.events.listDeadLetters(account, {}, { limit: 9 })).items),
      ).not.toMatch(/2547\d{8}/);
      await store.events.replayDeadLetters(account);
      const [again] = await claimCalls(store, account, [LISTENER], 1, 60_000);
      expect(again?.payload).toMatchObject({
        payout: {
          id: 'wages',
          destinations: [
            { type: 'mobile_wallet', amount: '50.00', recipient: null },
            payout.destinations[1],
          ],
        },
      });
    });
  });

  describe('a refund of the money of a customer', () => {
    it('is found by the payment, with its deliveries, and is nobody else’s', async () => {
      const { store } = current();
      const account = newAccount();
      const [payment, refund] = await refunded(account);
      await record(refundOf(account, 'another', 'PAID'));
      await record(refundOf(account, null, 'OTHER'));
      const delivery = aDelivery(account, { body: Buffer.from('{"id":"the-refund"}') });
      await store.deliveries.store(delivery);
      const person = await janesWith(account);
      expect(person.refunds.toSorted()).toEqual([refund.id, 'the-refund'].toSorted());
      expect(await found(account, person)).toEqual(
        [`operation ${payment.id}`, `operation ${refund.id}`, `delivery ${delivery.id}`].toSorted(),
      );
      expect(await store.retention.refundsOf(account, of(JOHN))).toEqual([]);
      expect(await store.retention.refundsOf(newAccount(), of(JANE))).toEqual([]);
    });

    it('is found by the transaction, when no payment asked for the money', async () => {
      const { store } = current();
      const account = newAccount();
      const received = aTransaction({ reference: 'DIRECT', senderPhoneNumber: JANE });
      const sum = aSum({ received, payerHash: phoneHash(JANE) });
      await commitTo(store, transactionChange(account, 'DIRECT', null, [sum]));
      const { id } = await record(refundOf(account, null, 'DIRECT'));
      expect(await store.retention.refundsOf(account, of(JANE))).toEqual([id]);
    });

    it('is redacted with its deliveries before the payment, which stays as long as the refund', async () => {
      const { store } = current();
      const account = newAccount();
      const [payment, refund] = await refunded(account);
      const delivery = aDelivery(account, { body: Buffer.from('{"id":"the-refund"}') });
      await store.deliveries.store(delivery);
      const person = await janesWith(account);
      expect(await store.retention.redactOf(account, person)).toBe(0);
      expect(await found(account, person)).toHaveLength(3);
      const [claim] = await store.deliveries.claim([account], delivery.kind, 1, 60_000);
      await store.deliveries.finish(claim!, { kind: 'done' });
      expect(await store.retention.redactOf(account, person)).toBe(3);
      expect(await found(account, person)).toEqual([]);
      expect(await store.operations.find(account, refund.id)).toMatchObject({
        why: '',
        requestedBy: null,
        reference: 'PAID',
        state: 'succeeded',
      });
      expect(await store.operations.find(account, payment.id)).toMatchObject({
        subscriber: { phoneNumber: '' },
      });
    });

    it('that is open keeps its payment, so that both are found again', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await record(
        aPayment(account, { subscriber: { firstName: 'J', lastName: 'D', phoneNumber: JANE } }),
      );
      await changed(store, payment, {
        state: 'succeeded',
        transaction: aTransaction({ reference: 'PAID', senderPhoneNumber: JANE }),
      });
      const refund = await record(refundOf(account, payment.id, 'PAID'));
      const person = await janesWith(account);
      expect(await store.retention.redactOf(account, person)).toBe(0);
      expect(await found(account, person)).toEqual(
        [`operation ${payment.id}`, `operation ${refund.id}`].toSorted(),
      );
    });

    it('waits for its events, and they are redacted with it', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const [, refund] = await refunded(account);
      const event = anEvent(account, refund.id);
      const payload = { ...event.payload, refund: { id: refund.id, why: 'Jane changed her mind' } };
      await commitEvents(store, account, { ...event, payload } as unknown as NewEvent);
      const person = await janesWith(account);
      expect(await store.retention.redactOf(account, person)).toBe(0);
      expect(await found(account, person)).toContain(`event ${event.id}`);
      const [call] = await claimCalls(store, account, [LISTENER], 1, 60_000);
      await store.events.finishCall(call!, { kind: 'given_up', error: 'Jane has left' });
      await store.retention.redactOf(account, person);
      await store.retention.redactOf(account, person);
      expect(await found(account, person)).toEqual([]);
      await store.events.replayDeadLetters(account);
      const [again] = await claimCalls(store, account, [LISTENER], 1, 60_000);
      expect(again?.payload).toMatchObject({ refund: { id: refund.id, why: '' } });
    });
  });
}
