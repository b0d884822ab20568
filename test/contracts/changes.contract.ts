import { describe, expect, it } from '@jest/globals';
import type { LedgerChange } from '@tillkit/payments/internal/store';
import {
  aDelivery,
  aPayment,
  aSum,
  aTransaction,
  anEvent,
  changed,
  newAccount,
  ledgerChange,
  recorded,
  times,
  transactionChange,
  type StoreUnderTest,
  commitTo,
  listen,
  received,
} from './store-under-test.js';

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
        sender: 'sender-1',
        sentAt: new Date('2026-01-20T22:45:12.790Z'),
        deniedAt: new Date('2026-01-20T22:50:00.001Z'),
        decided: true,
        emptySuccesses: 2,
        checks: 3,
      } as const;
      const after = await changed(store, payment, set);
      expect(after).toMatchObject({ ...set, version: 2, subscriber: payment.subscriber });
      const empty = {
        transaction: null,
        reason: null,
        cause: null,
        causeDetail: null,
        sender: null,
        deniedAt: null,
      } as const;
      const emptied = await changed(store, after, empty);
      expect(emptied).toMatchObject({ ...set, ...empty, version: 3 });
      expect(
        await store.operations.findByPlatformId(payment.account, 'payment', 'platform-1'),
      ).toMatchObject({
        id: payment.id,
      });
    });

    it('may set no field: then it adds to the history, and changes no state', async () => {
      const { store } = current();
      const payment = await recorded(store, aPayment(newAccount()));
      const note = { via: 'review', what: 'note', detail: 'jane: asked by phone' } as const;
      const after = await changed(store, payment, {}, { history: [note] });
      const { version, updatedAt, ageMs, unchangedMs, sendWithinMs, ...rest } = payment;
      expect(after).toMatchObject({ ...rest, version: version + 1 });
      const { account, id } = payment;
      expect(await store.operations.history(account, id)).toEqual([
        { ...note, at: after.updatedAt },
      ]);
      expect(await store.events.list(account, id)).toEqual([]);
    });

    it('resolves with its time, which becomes the updatedAt of the payment', async () => {
      const { store, advance } = current();
      const payment = await recorded(store, aPayment(newAccount()));
      await advance(10_000);
      const at = await commitTo(store, ledgerChange(payment, { state: 'requested' }));
      const after = await store.operations.find(payment.account, payment.id);
      expect(at).toEqual(after?.updatedAt);
      expect(at?.getTime()).toBeGreaterThan(payment.updatedAt.getTime());
    });

    it('is refused when the payment has changed since it was read, or does not exist', async () => {
      const { store } = current();
      const payment = await recorded(store, aPayment(newAccount()));
      await changed(store, payment, { state: 'requested' });
      expect(await commitTo(store, ledgerChange(payment, { state: 'failed' }))).toBeNull();
      const none = { account: payment.account, id: 'none', version: 1 };
      expect(await commitTo(store, ledgerChange(none, { state: 'failed' }))).toBeNull();
      expect(await store.operations.find(payment.account, payment.id)).toMatchObject({
        state: 'requested',
        version: 2,
      });
    });

    it('is refused when it would mark a payment as requested after its deadline for sending', async () => {
      const { store, advance } = current();
      const payment = await recorded(store, aPayment(newAccount()), 10_000);
      await advance(10_000);
      const requested = ledgerChange(payment, { state: 'requested', sender: 'mine' });
      expect(await commitTo(store, requested)).toBeNull();
      expect(
        await commitTo(store, { ...requested, ...transactionChange(payment.account, 'R1', null) }),
      ).toBeNull();
      expect(await store.transactions.find(payment.account, 'R1')).toBeNull();
      expect(await changed(store, payment, { state: 'failed', reason: 'not_sent' })).toMatchObject({
        version: 2,
        sender: null,
      });
    });

    it('succeeds once when many concurrent changes are based on one version', async () => {
      const { store } = current();
      const payment = await recorded(store, aPayment(newAccount()));
      const results = await Promise.all(
        times(20, () => commitTo(store, ledgerChange(payment, { state: 'requested' }))),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
    });

    it('that has a conflict is refused alone, and the other changes of its group succeed', async () => {
      const { store } = current();
      const account = newAccount();
      const payments = await Promise.all(times(4, () => recorded(store, aPayment(account))));
      const changes = payments.map((payment, index) =>
        ledgerChange({ ...payment, version: index === 1 ? 7 : payment.version }, { checks: 1 }),
      );
      expect(await Promise.all(changes.map((change) => commitTo(store, change)))).toEqual([
        expect.any(Date),
        null,
        expect.any(Date),
        expect.any(Date),
      ]);
      const found = await store.operations.findMany(
        account,
        payments.map(({ id }) => id),
      );
      expect(payments.map(({ id }) => found.get(id)?.checks)).toEqual([1, 0, 1, 1]);
    });

    it('finishes the claimed delivery that proves it, but not after its lease was lost', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const stored = async (): Promise<{ id: string; account: string; token: string }> => {
        const delivery = aDelivery(account);
        await store.deliveries.store(delivery);
        const [claimed] = await store.deliveries.claim([account], 'webhook', 1, 10_000);
        return { id: delivery.id, account, token: claimed?.token ?? '' };
      };
      const change = { account, events: [], history: [] };
      const first = await stored();
      expect(
        await commitTo(store, { ...change, finishes: { claim: first, outcome: { kind: 'done' } } }),
      ).toBeInstanceOf(Date);
      expect(await store.deliveries.find(account, first.id)).toMatchObject({ state: 'done' });
      const unknown = await stored();
      const outcome = { kind: 'given_up', error: 'its topic is unknown' } as const;
      await commitTo(store, { ...change, finishes: { claim: unknown, outcome } });
      expect(await store.deliveries.find(account, unknown.id)).toMatchObject({
        state: 'unrecognised',
        lastError: 'its topic is unknown',
      });
      const second = await stored();
      await advance(10_001);
      await store.deliveries.claim([account], 'webhook', 1, 60_000);
      expect(
        await commitTo(store, {
          ...change,
          finishes: { claim: second, outcome: { kind: 'done' } },
        }),
      ).toBeInstanceOf(Date);
      expect(await store.deliveries.find(account, second.id)).toMatchObject({ state: 'pending' });
      const refused = ledgerChange({ account, id: 'none', version: 1 }, { state: 'failed' });
      const third = await stored();
      expect(
        await commitTo(store, {
          ...refused,
          finishes: { claim: third, outcome: { kind: 'done' } },
        }),
      ).toBeNull();
      expect(await store.deliveries.find(account, third.id)).toMatchObject({ state: 'pending' });
    });

    it('writes payment, transaction, events and history together', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const payment = await recorded(store, aPayment(account));
      const event = anEvent(account, payment.id);
      const history = [
        { via: 'callback', what: 'state', detail: 'created to succeeded' },
        { via: 'callback', what: 'note', detail: 'and more' },
      ] as const;
      const sums = [aSum({ paymentId: payment.id })];
      const transaction = { reference: 'R1', version: null, sums };
      expect(
        await commitTo(
          store,
          ledgerChange(payment, { state: 'succeeded' }, { transaction, events: [event], history }),
        ),
      ).toBeInstanceOf(Date);
      expect(await store.operations.find(account, payment.id)).toMatchObject({
        state: 'succeeded',
      });
      expect(await store.transactions.find(account, 'R1')).toMatchObject({ sums, version: 1 });
      expect(await store.operations.history(account, payment.id)).toEqual(
        history.map((entry) => ({ ...entry, at: expect.any(Date) })),
      );
      expect(await received(store, account)).toEqual([event.id]);
    });

    const stale: [string, (change: LedgerChange) => LedgerChange][] = [
      [
        'the version of the payment is old',
        (change) => ({ ...change, operation: { ...required(change.operation), version: 7 } }),
      ],
      [
        'the version of the transaction is old',
        (change) => ({ ...change, transaction: { ...required(change.transaction), version: 7 } }),
      ],
      [
        'the transaction already exists',
        (change) => ({
          ...change,
          transaction: { ...required(change.transaction), version: null },
        }),
      ],
      [
        'a transfer belongs to another operation',
        (change) => ({
          ...change,
          operation: { ...required(change.operation), transfers: ['NEW', 'TAKEN'] },
        }),
      ],
      [
        'the platform id belongs to another payment',
        (change) => ({
          ...change,
          operation: {
            ...required(change.operation),
            set: { state: 'pending', platformId: 'used' },
          },
        }),
      ],
    ];
    it.each(stale)('writes nothing when %s', async (_, spoil) => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const other = await recorded(store, aPayment(account));
      await commitTo(store, {
        ...ledgerChange(other, {}),
        operation: {
          ...required(ledgerChange(other, { platformId: 'used' }).operation),
          transfers: ['TAKEN'],
        },
      });
      const payment = await recorded(store, aPayment(account));
      await commitTo(store, transactionChange(account, 'R1', null));
      const good = ledgerChange(
        payment,
        { state: 'pending', platformId: 'free' },
        {
          transaction: {
            reference: 'R1',
            version: 1,
            sums: [aSum({ paymentId: payment.id })],
          },
          events: [anEvent(account, payment.id)],
          history: [{ via: 'status', what: 'state', detail: 'pending' }],
        },
      );

      expect(await commitTo(store, spoil(good))).toBeNull();

      expect(await store.operations.find(account, payment.id)).toMatchObject({
        state: 'created',
        version: 1,
      });
      expect(await store.transactions.find(account, 'R1')).toMatchObject({
        sums: [aSum()],
        version: 1,
      });
      expect(await store.operations.history(account, payment.id)).toEqual([]);
      expect(await received(store, account)).toEqual([]);
      expect(await commitTo(store, good)).toBeInstanceOf(Date);
    });

    it('may set the platform id that the payment already has', async () => {
      const { store } = current();
      const payment = await recorded(store, aPayment(newAccount()));
      const pending = await changed(store, payment, { state: 'pending', platformId: 'mine' });
      expect(await changed(store, pending, { platformId: 'mine' })).toMatchObject({ version: 3 });
    });

    it('sets one platform id on one payment only when eight concurrent changes set it', async () => {
      const { store } = current();
      const account = newAccount();
      const payments = await Promise.all(times(8, () => recorded(store, aPayment(account))));
      const results = await Promise.all(
        payments.map((payment) => commitTo(store, ledgerChange(payment, { platformId: 'one' }))),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
    });

    it('writes an event once, even if another change contains it again', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const event = anEvent(account, 'stream');
      const change = { account, events: [event], history: [] };
      expect(await Promise.all(times(10, () => commitTo(store, change)))).toEqual(
        times(10, () => expect.any(Date)),
      );
      expect(await received(store, account)).toEqual([event.id]);
      expect(await commitTo(store, change)).toBeInstanceOf(Date);
      expect(await received(store, account)).toEqual([]);
    });

    it('keeps the amount of the event that was written first', async () => {
      const { store } = current();
      const account = newAccount();
      const event = anEvent(account, 'stream');
      const amountOf = (id: string): Promise<string | null> => store.ledger.amountOf(account, id);
      expect(await amountOf(event.id)).toBeNull();
      for (const amount of ['KES 100', 'KES 200'])
        await commitTo(store, { account, events: [{ ...event, amount }], history: [] });
      expect(await amountOf(event.id)).toBe('KES 100');
      expect(await store.ledger.amountOf(newAccount(), event.id)).toBeNull();
      const other = anEvent(account, 'other');
      await commitTo(store, { account, events: [other], history: [] });
      expect(await amountOf(other.id)).toBeNull();
    });
  });
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('expected a value');
  return value;
}
