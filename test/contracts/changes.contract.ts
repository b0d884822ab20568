import { describe, expect, it } from '@jest/globals';
import type {
  LedgerChange,
  NewEvent,
  OperationRecord,
  PaymentsStore,
} from '@tillkit/payments/store';
import {
  aDelivery,
  aPayment,
  aSum,
  aTransaction,
  anEvent,
  changed,
  claimCalls,
  newAccount,
  ledgerChange,
  recorded,
  times,
  transactionChange,
  type StoreUnderTest,
  commitTo,
} from './store-under-test.js';

const LISTENER = 'Shop.listen';

async function listen(store: PaymentsStore, account: string): Promise<void> {
  await store.events.registerListeners(account, [
    { event: 'delivery.unrecognised', listener: LISTENER },
  ]);
}

async function received(store: PaymentsStore, account: string): Promise<string[]> {
  return (await claimCalls(store, account, [LISTENER], 100, 60_000)).map(({ eventId }) => eventId);
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
        sender: 'sender-1',
        sentAt: new Date('2026-01-20T22:45:12.790Z'),
        windowSwept: true,
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

    it('claims the listener calls that it is told to, and no other process can claim these', async () => {
      const { store } = current();
      const account = newAccount();
      await store.events.registerListeners(account, [
        { event: 'delivery.unrecognised', listener: LISTENER },
        { event: 'delivery.unrecognised', listener: 'Other.listen' },
      ]);
      const event = anEvent(account, 'stream-1');
      const claim = { listeners: [LISTENER], leaseMs: 60_000 };
      const committed = await store.ledger.commit({ account, events: [event], history: [], claim });
      const written = { id: expect.any(String), eventId: event.id };
      expect(
        committed?.calls.toSorted((one, other) => (one.listener < other.listener ? -1 : 1)),
      ).toEqual([
        { ...written, listener: 'Other.listen', token: null },
        { ...written, listener: LISTENER, token: expect.any(String) },
      ]);
      const call = committed?.calls.find(({ listener }) => listener === LISTENER);
      expect(await received(store, account)).toEqual([]);
      expect(await claimCalls(store, account, ['Other.listen'], 100, 60_000)).toMatchObject([
        { eventId: event.id, attempts: 1 },
      ]);
      const own = { id: call?.id ?? '', account, token: call?.token ?? '' };
      expect(await store.events.renewCalls([own], 60_000)).toEqual([]);
      expect(await store.events.finishCall(own, { kind: 'retry', inMs: 0, error: 'no' })).toBe(
        true,
      );
      expect(await claimCalls(store, account, [LISTENER], 100, 60_000)).toMatchObject([
        { eventId: event.id, attempts: 2 },
      ]);
    });

    it('claims calls that can be completed at the same time', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const claim = { listeners: [LISTENER], leaseMs: 30_000 };
      const commits = await Promise.all(
        times(5, (n) => {
          const events = [anEvent(account, `stream-${n}`)];
          return store.ledger.commit({ account, events, history: [], claim });
        }),
      );
      const claims = commits.map((committed) => {
        const [call] = committed?.calls ?? [];
        return { id: call?.id ?? '', account, token: call?.token ?? '' };
      });
      expect(
        await Promise.all(claims.map((each) => store.events.finishCall(each, { kind: 'done' }))),
      ).toEqual(times(5, () => true));
      for (const n of times(5, (each) => each)) {
        const [event] = await store.events.list(account, `stream-${n}`);
        expect(event?.calls).toMatchObject([{ state: 'done', attempts: 1 }]);
      }
    });

    it('leaves its claimed calls to others when the lease ends', async () => {
      const { store, advance } = current();
      const account = newAccount();
      await listen(store, account);
      const event = anEvent(account, 'stream-1');
      const claim = { listeners: [LISTENER], leaseMs: 30_000 };
      await store.ledger.commit({ account, events: [event], history: [], claim });
      await advance(29_000);
      expect(await received(store, account)).toEqual([]);
      await advance(1_001);
      expect(await received(store, account)).toEqual([event.id]);
    });

    it('does not claim a call while an earlier one of its listener and stream waits', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const [first, second, other] = ['stream-1', 'stream-1', 'stream-2'].map((stream, n) =>
        anEvent(account, stream, String(n)),
      );
      const claim = { listeners: [LISTENER], leaseMs: 60_000 };
      const tokens = async (...events: (typeof first)[]): Promise<unknown> =>
        (
          await store.ledger.commit({ account, events: events as NewEvent[], history: [], claim })
        )?.calls.map(({ token }) => token !== null);
      expect(await tokens(first)).toEqual([true]);
      expect(await tokens(second, other)).toEqual([false, true]);
      expect(await tokens(first)).toEqual([]);
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
      await changed(store, other, { platformId: 'used' });
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
  });

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
        { id: delivery.id, attempts: 2 },
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

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('expected a value');
  return value;
}
