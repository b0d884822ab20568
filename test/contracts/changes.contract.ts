import { describe, expect, it } from '@jest/globals';
import type { LedgerChange, PaymentsStore } from '@tillkit/payments/store';
import {
  aPayment,
  aTransaction,
  anEvent,
  changed,
  newAccount,
  paymentChange,
  recorded,
  times,
  transactionChange,
  transactionFields,
  type StoreUnderTest,
} from './store-under-test.js';

const LISTENER = 'Shop.listen';

async function listen(store: PaymentsStore, account: string): Promise<void> {
  await store.registerListeners(account, [{ event: 'delivery.unrecognised', listener: LISTENER }]);
}

async function heard(store: PaymentsStore, account: string): Promise<string[]> {
  return (await store.claimCalls(account, [LISTENER], 100, 60_000)).map(({ eventId }) => eventId);
}

export function describeChanges(current: () => StoreUnderTest): void {
  describe('a change of the ledger', () => {
    it('sets every field that it names, and no other', async () => {
      const { store } = current();
      const payment = await recorded(store, aPayment(newAccount()));
      const set = {
        state: 'needs_review',
        platformId: 'platform-1',
        transaction: aTransaction(),
        reason: 'timeout',
        errors: ['one', 'two "quoted"'],
        cause: 'amount_mismatch',
        causeDetail: 'asked 100, paid 90',
        sentAt: new Date('2026-01-20T22:45:12.790Z'),
        emptySuccesses: 2,
        checks: 3,
      } as const;
      const after = await changed(store, payment, set);
      expect(after).toMatchObject({ ...set, version: 2, subscriber: payment.subscriber });
      const empty = { transaction: null, reason: null, cause: null, causeDetail: null } as const;
      const emptied = await changed(store, after, empty);
      expect(emptied).toMatchObject({ ...set, ...empty, version: 3 });
      expect(await store.findPaymentByPlatformId(payment.account, 'platform-1')).toMatchObject({
        id: payment.id,
      });
    });

    it('tells when it was made, which is when the payment was last changed', async () => {
      const { store, advance } = current();
      const payment = await recorded(store, aPayment(newAccount()));
      await advance(60_000);
      const at = await store.commit(paymentChange(payment, { state: 'requested' }));
      const after = await store.findPayment(payment.account, payment.id);
      expect(at).toEqual(after?.updatedAt);
      expect(at?.getTime()).toBeGreaterThan(payment.updatedAt.getTime());
    });

    it('is refused when the payment has changed since, or is not there', async () => {
      const { store } = current();
      const payment = await recorded(store, aPayment(newAccount()));
      await changed(store, payment, { state: 'requested' });
      expect(await store.commit(paymentChange(payment, { state: 'failed' }))).toBeNull();
      const none = { account: payment.account, id: 'none', version: 1 };
      expect(await store.commit(paymentChange(none, { state: 'failed' }))).toBeNull();
      expect(await store.findPayment(payment.account, payment.id)).toMatchObject({
        state: 'requested',
        version: 2,
      });
    });

    it('of many made at once on one version, one holds', async () => {
      const { store } = current();
      const payment = await recorded(store, aPayment(newAccount()));
      const results = await Promise.all(
        times(20, () => store.commit(paymentChange(payment, { state: 'requested' }))),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
    });

    it('writes payment, transaction, events and timeline together', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const payment = await recorded(store, aPayment(account));
      const event = anEvent(account, payment.id);
      const history = [
        { via: 'callback', what: 'state', detail: 'created to succeeded' },
        { via: 'callback', what: 'note', detail: 'and more' },
      ] as const;
      const set = transactionFields({ paymentId: payment.id });
      const transaction = { reference: 'R1', tillKey: '514459', version: null, set };
      expect(
        await store.commit(
          paymentChange(payment, { state: 'succeeded' }, { transaction, events: [event], history }),
        ),
      ).toBeInstanceOf(Date);
      expect(await store.findPayment(account, payment.id)).toMatchObject({ state: 'succeeded' });
      expect(await store.findTransaction(account, transaction)).toMatchObject({
        ...set,
        version: 1,
      });
      expect(await store.paymentHistory(account, payment.id)).toEqual(
        history.map((entry) => ({ ...entry, at: expect.any(Date) })),
      );
      expect(await heard(store, account)).toEqual([event.id]);
    });

    const stale: [string, (change: LedgerChange) => LedgerChange][] = [
      [
        'the payment is stale',
        (change) => ({ ...change, payment: { ...required(change.payment), version: 7 } }),
      ],
      [
        'the transaction is stale',
        (change) => ({ ...change, transaction: { ...required(change.transaction), version: 7 } }),
      ],
      [
        'the transaction is there already',
        (change) => ({
          ...change,
          transaction: { ...required(change.transaction), version: null },
        }),
      ],
      [
        'the platform id belongs to another payment',
        (change) => ({
          ...change,
          payment: { ...required(change.payment), set: { state: 'pending', platformId: 'taken' } },
        }),
      ],
    ];
    it.each(stale)('writes nothing at all when %s', async (_, spoil) => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const other = await recorded(store, aPayment(account));
      await changed(store, other, { platformId: 'taken' });
      const payment = await recorded(store, aPayment(account));
      await store.commit(transactionChange(account, 'R1', null, transactionFields()));
      const good = paymentChange(
        payment,
        { state: 'pending', platformId: 'free' },
        {
          transaction: {
            reference: 'R1',
            tillKey: '514459',
            version: 1,
            set: transactionFields({ paymentId: payment.id }),
          },
          events: [anEvent(account, payment.id)],
          history: [{ via: 'status', what: 'state', detail: 'pending' }],
        },
      );

      expect(await store.commit(spoil(good))).toBeNull();

      expect(await store.findPayment(account, payment.id)).toMatchObject({
        state: 'created',
        version: 1,
      });
      expect(
        await store.findTransaction(account, { reference: 'R1', tillKey: '514459' }),
      ).toMatchObject({
        paymentId: null,
        version: 1,
      });
      expect(await store.paymentHistory(account, payment.id)).toEqual([]);
      expect(await heard(store, account)).toEqual([]);
      expect(await store.commit(good)).toBeInstanceOf(Date);
    });

    it('may set the platform id that the payment has', async () => {
      const { store } = current();
      const payment = await recorded(store, aPayment(newAccount()));
      const pending = await changed(store, payment, { state: 'pending', platformId: 'mine' });
      expect(await changed(store, pending, { platformId: 'mine' })).toMatchObject({ version: 3 });
    });

    it('gives one platform id to one of two payments that take it at once', async () => {
      const { store } = current();
      const account = newAccount();
      const payments = await Promise.all(times(8, () => recorded(store, aPayment(account))));
      const results = await Promise.all(
        payments.map((payment) => store.commit(paymentChange(payment, { platformId: 'one' }))),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
    });

    it('writes an event once, whoever brings it again', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const event = anEvent(account, 'stream');
      const change = { account, events: [event], history: [] };
      expect(await Promise.all(times(10, () => store.commit(change)))).toEqual(
        times(10, () => expect.any(Date)),
      );
      expect(await heard(store, account)).toEqual([event.id]);
      expect(await store.commit(change)).toBeInstanceOf(Date);
      expect(await heard(store, account)).toEqual([]);
    });
  });

  describe('a transaction', () => {
    it('is read as it was written, and keeps when it was first seen', async () => {
      const { store } = current();
      const account = newAccount();
      const key = { reference: 'R1', tillKey: '514459' };
      expect(await store.findTransaction(account, key)).toBeNull();
      await store.commit(transactionChange(account, 'R1', null, transactionFields()));
      const first = await store.findTransaction(account, key);
      const set = transactionFields({
        received: null,
        reversal: aTransaction({ status: 'Reversed' }),
        webhookEventIds: ['a', 'b'],
        announced: false,
        originatedAt: null,
        currency: null,
        amountMinor: null,
      });
      expect(await store.commit(transactionChange(account, 'R1', 1, set))).toBeInstanceOf(Date);
      expect(await store.findTransaction(account, key)).toEqual({
        ...set,
        ...key,
        account,
        version: 2,
        createdAt: first?.createdAt,
      });
      expect(await store.findTransaction(account, { ...key, reference: 'r1' })).toBeNull();
      expect(await store.findTransaction(account, { ...key, tillKey: '1' })).toBeNull();
    });

    it('is created by one of many that see it first', async () => {
      const { store } = current();
      const account = newAccount();
      const results = await Promise.all(
        times(20, () => store.commit(transactionChange(account, 'R1', null, transactionFields()))),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
    });

    it('is untied while it has no payment, received money and a time in the window', async () => {
      const { store } = current();
      const account = newAccount();
      const at = (text: string) => new Date(`2026-01-20T${text}.000Z`);
      const write = async (reference: string, given: Parameters<typeof transactionFields>[0]) =>
        store.commit(transactionChange(account, reference, null, transactionFields(given)));
      await write('at the start', { originatedAt: at('10:00:00') });
      await write('at the end', { originatedAt: at('11:00:00') });
      await write('too early', { originatedAt: at('09:59:59') });
      await write('too late', { originatedAt: at('11:00:01') });
      await write('no time', { originatedAt: null });
      await write('no amount', { originatedAt: at('10:30:00'), amountMinor: null });
      await write('another amount', { originatedAt: at('10:30:00'), amountMinor: '10001' });
      await write('another currency', { originatedAt: at('10:30:00'), currency: 'UGX' });
      await write('tied', { originatedAt: at('10:30:00'), paymentId: 'payment' });
      await write('only reversed', { originatedAt: at('10:30:00'), received: null });
      const found = await store.findUntiedTransactions(account, {
        tillKey: '514459',
        currency: 'KES',
        amountMinor: '10000',
        from: at('10:00:00'),
        to: at('11:00:00'),
      });
      expect(found.map(({ reference }) => reference)).toEqual(['at the start', 'at the end']);
    });
  });
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('expected a value');
  return value;
}
