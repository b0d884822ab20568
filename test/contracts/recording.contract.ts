import { describe, expect, it } from '@jest/globals';
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
    it('records it as created, with everything that was given, and finds it by id and by key', async () => {
      const { store } = current();
      const account = newAccount();
      const given = aPayment(account);
      const payment = await recorded(store, given);

      expect(payment).toMatchObject({
        ...given,
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
        windowSwept: false,
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
      expect(await store.operations.findByIdempotencyKey(account, payment.idempotencyKey)).toEqual({
        ...payment,
        ...timeless,
      });
    });

    it('finds nothing of another account, and nothing that is not there', async () => {
      const { store } = current();
      const payment = await recorded(store, aPayment(newAccount()));
      const other = newAccount();
      expect(await store.operations.find(other, payment.id)).toBeNull();
      expect(await store.operations.findByIdempotencyKey(other, payment.idempotencyKey)).toBeNull();
      expect(await store.operations.find(payment.account, 'none')).toBeNull();
      expect(await store.operations.findByPlatformId(payment.account, 'none')).toBeNull();
    });

    it('finds many by their ids at once, and leaves out those that are not there', async () => {
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

    it('counts age and the time left for sending by its own clock', async () => {
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

    it('gives the first payment for its key, whatever the second request was', async () => {
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

    it('knows the key of a payment that is in flight as its own, not as a rival', async () => {
      const { store } = current();
      const given = aPayment(newAccount());
      const first = await recorded(store, given);
      const again = { ...given, id: 'another' };
      expect(await record(store, again)).toMatchObject({
        kind: 'existing',
        operation: { id: first.id },
      });
    });

    it('keeps keys of two accounts apart', async () => {
      const { store } = current();
      const one = await recorded(store, aPayment(newAccount()));
      const other = aPayment(newAccount(), { idempotencyKey: one.idempotencyKey });
      expect((await record(store, other)).kind).toBe('recorded');
    });

    it('has one winner among 32 at once for each of many keys, and all callers get the winner', async () => {
      const { store } = current();
      const account = newAccount();
      await Promise.all(
        times(25, async (key) => {
          const payments = times(32, () => aPayment(account, { idempotencyKey: `key-${key}` }));
          const results = await Promise.all(payments.map((payment) => record(store, payment)));
          expect(results.filter(({ kind }) => kind === 'recorded')).toHaveLength(1);
          const ids = results.map((result) =>
            result.kind === 'in_flight' ? '' : result.operation.id,
          );
          expect(new Set(ids).size).toBe(1);
        }),
      );
    }, 60_000);
  });

  describe('while the same customer is being asked for the same amount', () => {
    const same = { subscriber: { firstName: 'A', lastName: 'B', phoneNumber: '+254700000001' } };

    it.each(['created', 'requested', 'pending', 'unknown'] as const)(
      'refuses another key while the first is %s, and says which payment it is',
      async (state) => {
        const { store } = current();
        const account = newAccount();
        const first = await recorded(store, aPayment(account, same));
        if (state !== 'created') await changed(store, first, { state });
        const second = aPayment(account, same);
        expect(await record(store, second)).toEqual({ kind: 'in_flight', id: first.id });
        expect(
          await store.operations.findByIdempotencyKey(account, second.idempotencyKey),
        ).toBeNull();
      },
    );

    it.each(['succeeded', 'failed', 'needs_review'] as const)(
      'accepts another key once the first is %s',
      async (state) => {
        const { store } = current();
        const account = newAccount();
        const first = await recorded(store, aPayment(account, same));
        await changed(store, first, { state });
        expect((await record(store, aPayment(account, same))).kind).toBe('recorded');
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

    it.each(['pending', 'unknown'] as const)(
      'accepts another key once all money of the window of one that is %s was read',
      async (state) => {
        const { store } = current();
        const account = newAccount();
        const first = await recorded(store, aPayment(account, same));
        const open = await changed(store, first, { state });
        await changed(store, open, { windowSwept: true });
        expect((await record(store, aPayment(account, same))).kind).toBe('recorded');
      },
    );

    it.each(['created', 'requested'] as const)(
      'refuses another key while the first is %s, whatever was read: its money is still to come',
      async (state) => {
        const { store } = current();
        const account = newAccount();
        const first = await recorded(store, aPayment(account, same));
        await changed(store, first, { state, windowSwept: true });
        expect(await record(store, aPayment(account, same))).toEqual({
          kind: 'in_flight',
          id: first.id,
        });
      },
    );

    it('refuses another key at any number that the two tills share, and at no other', async () => {
      const { store } = current();
      const account = newAccount();
      const at = (...tills: string[]) =>
        record(store, aPayment(account, { ...same, tillNumber: tills[0] ?? '', tills }));
      const first = await at('K000123', '514459');
      const id = first.kind === 'recorded' ? first.operation.id : '';
      expect(await at('514459')).toEqual({ kind: 'in_flight', id });
      expect(await at('777777', 'K000123')).toEqual({ kind: 'in_flight', id });
      expect((await at('777777')).kind).toBe('recorded');
      // The alias that joined them was removed: this one still overlaps the first.
      expect((await at('K000123', '999999')).kind).toBe('in_flight');
    });

    it('accepts a parallel payment that is allowed, and refuses the next one that is not while that is in flight', async () => {
      const { store } = current();
      const account = newAccount();
      const first = await recorded(store, aPayment(account, same));
      const parallel = await recorded(store, aPayment(account, { ...same, allowParallel: true }));
      await changed(store, first, { state: 'failed' });
      expect(await record(store, aPayment(account, same))).toEqual({
        kind: 'in_flight',
        id: parallel.id,
      });
      expect((await record(store, aPayment(account, { ...same, allowParallel: true }))).kind).toBe(
        'recorded',
      );
    });

    it('has one winner among many keys at once, and the others get its id', async () => {
      const { store } = current();
      const account = newAccount();
      const results = await Promise.all(times(32, () => record(store, aPayment(account, same))));
      const winner = results.find(({ kind }) => kind === 'recorded');
      const losers = results.filter((result) => result !== winner);
      expect(winner).toBeDefined();
      expect(losers).toHaveLength(31);
      for (const loser of losers) {
        expect(loser).toEqual({
          kind: 'in_flight',
          id: winner?.kind === 'recorded' ? winner.operation.id : '',
        });
      }
    });
  });
}
