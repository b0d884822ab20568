import { describe, expect, it } from '@jest/globals';
import { payerHashOf } from '@tillkit/payments/internal/store';
import {
  aPayment,
  changed,
  newAccount,
  record,
  recorded,
  times,
  type StoreUnderTest,
} from './store-under-test.js';

export function describeRecording(current: () => StoreUnderTest): void {
  describe('recording a payment', () => {
    it('stores it as created with all its fields, and finds it by id and by key', async () => {
      const { store } = current();
      const account = newAccount();
      const input = aPayment(account);
      const { guard, ...stored } = input;
      const payment = await recorded(store, input);

      expect(payment).toMatchObject({
        ...stored,
        state: 'created',
        version: 1,
        platformId: null,
        transaction: null,
        reason: null,
        errors: [],
        cause: null,
        causeDetail: null,
        sender: null,
        sentAt: null,
        deniedAt: null,
        decided: false,
        emptySuccesses: 0,
        checks: 0,
      });
      expect(payment.createdAt).toBeInstanceOf(Date);
      expect(payment.sendWithinMs).toBeGreaterThan(0);

      const found = await store.operations.find(account, payment.id);
      const timeless = {
        ageMs: expect.any(Number),
        unchangedMs: expect.any(Number),
        sendWithinMs: expect.any(Number),
      };
      expect(found).toEqual({ ...payment, ...timeless });
      expect(
        await store.operations.findByIdempotencyKey(account, 'payment', payment.idempotencyKey),
      ).toEqual({
        ...payment,
        ...timeless,
      });
    });

    it('stores it as requested with the mark of its attempt, and finds what it may own', async () => {
      const { store } = current();
      const account = newAccount();
      const input = aPayment(account);
      const mark = { sender: 'one', sentAt: new Date(Date.now() - 20 * 60_000) };
      const result = await store.operations.record(input, { sendBeforeMs: 60_000, mark });
      const found = await store.operations.find(account, input.id);
      expect(result).toEqual({
        kind: 'recorded',
        operation: {
          ...found,
          ageMs: expect.any(Number),
          unchangedMs: expect.any(Number),
          sendWithinMs: expect.any(Number),
        },
      });
      expect(found).toMatchObject({ state: 'requested', version: 1, ...mark });
      const { createdAt } = found!;
      expect(await store.operations.history(account, input.id)).toEqual([
        { at: createdAt, via: 'request', what: 'state', detail: 'created to requested' },
      ]);
      expect((await store.operations.dueAt(account, input.id))?.getTime()).toBe(
        createdAt.getTime() + 60_000,
      );
      const { amountMinor, amount } = input;
      const candidates = await store.operations.findCandidates(account, {
        amountMinor,
        currency: amount.currency,
        payerHash: payerHashOf(input),
        sentFrom: mark.sentAt,
        anybodySentFrom: mark.sentAt,
        sentTo: mark.sentAt,
      });
      expect(candidates.map(({ id }) => id)).toEqual([input.id]);
    });

    it('finds no payment of another account, and no unknown payment', async () => {
      const { store } = current();
      const payment = await recorded(store, aPayment(newAccount()));
      const other = newAccount();
      expect(await store.operations.find(other, payment.id)).toBeNull();
      expect(
        await store.operations.findByIdempotencyKey(other, 'payment', payment.idempotencyKey),
      ).toBeNull();
      expect(await store.operations.find(payment.account, 'none')).toBeNull();
      expect(
        await store.operations.findByPlatformId(payment.account, 'payment', 'none'),
      ).toBeNull();
    });

    it('finds many payments by their ids at once, and leaves out unknown ones', async () => {
      const { store } = current();
      const account = newAccount();
      const payments = await Promise.all(times(3, () => recorded(store, aPayment(account))));
      const other = await recorded(store, aPayment(newAccount()));
      const ids = payments.map(({ id }) => id);
      const found = await store.operations.findMany(account, [...ids, other.id, 'none']);
      expect([...found.keys()].toSorted()).toEqual(ids.toSorted());
      for (const id of ids) expect(found.get(id)).toMatchObject({ id, account });
      expect((await store.operations.findMany(account, [])).size).toBe(0);
    });

    it('counts age and remaining time for sending by the clock of the store', async () => {
      const { store, advance } = current();
      const payment = await recorded(store, aPayment(newAccount()));
      await advance(45_000);
      const later = await store.operations.find(payment.account, payment.id);
      expect(later?.ageMs).toBeGreaterThanOrEqual(45_000);
      expect(later?.unchangedMs).toBeGreaterThanOrEqual(45_000);
      expect(later?.sendWithinMs).toBeLessThanOrEqual(15_000);
      await advance(45_000);
      const late = await changed(store, payment, { checks: 1 });
      expect(late.sendWithinMs).toBeLessThan(0);
      expect(late.ageMs).toBeGreaterThanOrEqual(90_000);
      expect(late.unchangedMs).toBeLessThan(45_000);
    });

    it('returns the first payment for a repeated key, even if the second request differs', async () => {
      const { store } = current();
      const account = newAccount();
      const first = await recorded(store, aPayment(account));
      const again = aPayment(account, {
        idempotencyKey: first.idempotencyKey,
        channel: 'another',
      });
      expect(await record(store, again)).toMatchObject({
        kind: 'existing',
        operation: { id: first.id, channel: first.channel },
      });
      expect(await store.operations.find(account, again.id)).toBeNull();
    });

    it('returns the payment for its own key while it is in flight, and no conflict', async () => {
      const { store } = current();
      const input = aPayment(newAccount());
      const first = await recorded(store, input);
      const again = { ...input, id: 'another' };
      expect(await record(store, again)).toMatchObject({
        kind: 'existing',
        operation: { id: first.id },
      });
    });

    it('separates the keys of two accounts', async () => {
      const { store } = current();
      const one = await recorded(store, aPayment(newAccount()));
      const other = aPayment(newAccount(), { idempotencyKey: one.idempotencyKey });
      expect((await record(store, other)).kind).toBe('recorded');
    });

    it('records one payment for each key when 32 concurrent calls use it, and all of them return that payment', async () => {
      const { store } = current();
      const account = newAccount();
      await Promise.all(
        times(25, async (key) => {
          const payments = times(32, () => aPayment(account, { idempotencyKey: `key-${key}` }));
          const results = await Promise.all(payments.map((payment) => record(store, payment)));
          expect(results.filter(({ kind }) => kind === 'recorded')).toHaveLength(1);
          const ids = results.map((result) => ('operation' in result ? result.operation.id : ''));
          expect(new Set(ids).size).toBe(1);
        }),
      );
    });
  });

  describe('while a payment of the same customer and amount is in flight, recording', () => {
    const same = { subscriber: { firstName: 'A', lastName: 'B', phoneNumber: '+254700000001' } };

    it.each(['created', 'requested', 'pending', 'unknown'] as const)(
      'refuses another key while the first payment is %s, and returns its id',
      async (state) => {
        const { store } = current();
        const account = newAccount();
        const first = await recorded(store, aPayment(account, same));
        if (state !== 'created') await changed(store, first, { state });
        const second = aPayment(account, same);
        expect(await record(store, second)).toMatchObject({
          kind: 'in_flight',
          operations: [{ id: first.id }],
        });
        expect(
          await store.operations.findByIdempotencyKey(account, 'payment', second.idempotencyKey),
        ).toBeNull();
      },
    );

    it('accepts another till, phone, amount, currency or account', async () => {
      const { store } = current();
      const account = newAccount();
      await recorded(store, aPayment(account, same));
      const others = [
        aPayment(account, { ...same, tills: ['000000', '000001'] }),
        aPayment(account, {
          ...same,
          subscriber: { ...same.subscriber, phoneNumber: '+254700000002' },
        }),
        aPayment(account, { ...same, amountMinor: '10001' }),
        aPayment(account, { ...same, amount: { currency: 'UGX', value: '100.00' } }),
        aPayment(newAccount(), same),
      ];
      for (const other of others) expect((await record(store, other)).kind).toBe('recorded');
    });

    it('refuses another key at any number of the same till, and accepts it at other tills', async () => {
      const { store } = current();
      const account = newAccount();
      const at = (...tills: string[]) =>
        record(store, aPayment(account, { ...same, tillNumber: tills[0] ?? '', tills }));
      const first = await at('K000123', '514459');
      const id = first.kind === 'recorded' ? first.operation.id : '';
      expect(await at('514459')).toMatchObject({ kind: 'in_flight', operations: [{ id }] });
      expect(await at('777777', 'K000123')).toMatchObject({
        kind: 'in_flight',
        operations: [{ id }],
      });
      expect((await at('777777')).kind).toBe('recorded');
      // The alias was removed, but this payment still shares a number with the first.
      expect((await at('K000123', '999999')).kind).toBe('in_flight');
    });

    it('accepts one of many concurrent keys, and returns the id of that payment to the others', async () => {
      const { store } = current();
      const account = newAccount();
      const results = await Promise.all(times(32, () => record(store, aPayment(account, same))));
      const winner = results.find(({ kind }) => kind === 'recorded');
      const losers = results.filter((result) => result !== winner);
      expect(winner).toBeDefined();
      expect(losers).toHaveLength(31);
      for (const loser of losers) {
        expect(loser).toMatchObject({
          kind: 'in_flight',
          operations: [{ id: winner?.kind === 'recorded' ? winner.operation.id : '' }],
        });
      }
    });
  });
}
