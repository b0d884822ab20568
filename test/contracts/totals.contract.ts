import { describe, expect, it } from '@jest/globals';
import type { Measure, Total, TotalChange } from '@tillkit/payments/internal/store';
import {
  aDelivery,
  aPayment,
  changed,
  commitTo,
  ledgerChange,
  newAccount,
  recorded,
  times,
  transactionChange,
  type StoreUnderTest,
} from './store-under-test.js';

const NOON = Date.UTC(2026, 0, 20, 12);
const QUARTER = 15 * 60_000;

const at = (quarters: number): Date => new Date(NOON + quarters * QUARTER);

const EVER = [new Date('2000-01-01'), new Date('2400-01-01')];

function added(input: Partial<TotalChange> = {}): TotalChange {
  return {
    measure: 'state',
    kind: 'payment',
    name: 'succeeded',
    till: 'K000123',
    currency: 'KES',
    count: 1,
    minor: '10000',
    at: at(0),
    ...input,
  };
}

export function describeTotals(current: () => StoreUnderTest): void {
  describe('totals', () => {
    let references = 0;

    /** Adds to the totals of an account with a change of a new transaction. */
    const add = (account: string, ...totals: readonly TotalChange[]): Promise<Date | null> => {
      const change = transactionChange(account, `T${(references += 1)}`, null);
      return commitTo(current().store, {
        ...change,
        transaction: { ...change.transaction!, totals },
      });
    };
    const read = (
      account: string,
      boundaries: readonly Date[] = EVER,
      measures: readonly Measure[] = ['state', 'movement'],
    ): Promise<Total[]> => current().store.totals.read(account, { measures, boundaries });

    it('are empty for an empty store', async () => {
      expect(await read(newAccount())).toEqual([]);
    });

    it('add up what was added with the same words, in one account', async () => {
      const [account, other] = [newAccount(), newAccount()];
      await Promise.all(times(7, () => add(account, added())));
      await add(other, added({ minor: '1' }));
      const { at: _, ...words } = added();
      expect(await read(account)).toEqual([{ ...words, span: 0, count: 7, minor: '70000' }]);
      expect(await read(other)).toMatchObject([{ count: 1, minor: '1' }]);
    });

    it.each([
      { measure: 'movement' },
      { kind: 'payout' },
      { name: 'failed' },
      { till: '' },
      { currency: 'UGX' },
    ] as const)('keep apart what differs in a word: %j', async (different) => {
      const account = newAccount();
      await add(account, added(), added(different));
      const found = await read(account);
      expect(found.map(({ count }) => count)).toEqual([1, 1]);
      expect(found).toContainEqual(expect.objectContaining(different));
    });

    it('give each span what began in it: its beginning belongs to it, its end does not', async () => {
      const account = newAccount();
      for (const quarters of [-1, 0, 1, 2, 3, 4, 5]) {
        await add(account, added({ at: at(quarters), minor: String(10 ** (quarters + 1)) }));
      }
      const found = await read(account, [at(0), at(1), at(4)]);
      expect(found.map(({ span, minor }) => `${span} ${minor}`).toSorted()).toEqual([
        '0 10',
        '1 11100',
      ]);
    });

    it('are refused for times that are not in order, and have nothing between equal ones', async () => {
      const account = newAccount();
      await add(account, added());
      await expect(read(account, [at(-1), at(2), at(1), at(3)])).rejects.toThrow('in order');
      expect(await read(account, [at(0), at(0), at(1)])).toMatchObject([{ span: 1, count: 1 }]);
    });

    it('count a time in its quarter of an hour', async () => {
      const account = newAccount();
      await add(account, added({ at: new Date(at(1).getTime() - 1) }), added({ at: at(1) }));
      expect(await read(account, [at(0), at(1)])).toMatchObject([{ count: 1 }]);
      expect(await read(account, [at(1), at(2)])).toMatchObject([{ count: 1 }]);
    });

    it('count money without a time at the time of its commit', async () => {
      const account = newAccount();
      const committed = await add(account, added({ at: null }));
      const before = new Date((committed?.getTime() ?? 0) - QUARTER);
      const after = new Date((committed?.getTime() ?? 0) + QUARTER);
      expect(await read(account, [before, after])).toHaveLength(1);
      expect(await read(account, [after, EVER[1]!])).toEqual([]);
    });

    it('count money without a time when the record of its transaction is created, so that it can be subtracted on the same day', async () => {
      const account = newAccount();
      const committed = await add(account, added({ at: null }));
      const record = await current().store.transactions.find(account, `T${references}`);
      expect(record?.createdAt).toEqual(committed);
    });

    it('leave out what was taken back', async () => {
      const account = newAccount();
      await add(account, added());
      await add(account, added({ count: -1, minor: '-10000' }), added({ name: 'reversed' }));
      expect(await read(account)).toMatchObject([{ name: 'reversed', count: 1, minor: '10000' }]);
    });

    it('are exact for sums that no number holds', async () => {
      const account = newAccount();
      const minor = '9007199254740993';
      await add(account, added({ minor }), added({ minor }), added({ minor: '1' }));
      expect(await read(account)).toMatchObject([{ count: 3, minor: '18014398509481987' }]);
    });

    it('contain texts that a database cannot store in a readable form', async () => {
      const account = newAccount();
      await add(account, added({ till: 'a\u0000b' }));
      await add(account, added({ till: '\ud800' }));
      const found = await read(account);
      expect(found.map(({ count }) => count)).toEqual([1, 1]);
    });

    it('contain nothing of a change that was refused, or that came with a duplicate', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account));
      const change = ledgerChange(payment, { state: 'failed', reason: 'cancelled' });
      const counted = { ...change, operation: { ...change.operation!, totals: [added()] } };
      const late = { ...counted, operation: { ...counted.operation, version: 7 } };
      expect(await commitTo(store, late)).toBeNull();
      expect(await read(account)).toEqual([]);
      const delivery = aDelivery(account);
      expect(await store.ledger.commitWithDelivery(counted, delivery, 1_000)).toMatchObject({
        kind: 'committed',
      });
      const again = { ...counted, operation: { ...counted.operation, version: 2 } };
      expect(await store.ledger.commitWithDelivery(again, delivery, 1_000)).toEqual({
        kind: 'duplicate',
      });
      expect(await read(account)).toMatchObject([{ count: 1 }]);
    });

    it('contain what a change of an operation and its transaction add, once each', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account));
      const { transaction } = transactionChange(account, 'TIED', null);
      const change = ledgerChange(payment, { state: 'failed', reason: 'cancelled' });
      await commitTo(store, {
        ...change,
        operation: { ...change.operation!, totals: [added()] },
        transaction: { ...transaction!, totals: [added({ measure: 'movement' })] },
      });
      const found = await read(account);
      expect(found.map(({ measure, count }) => `${measure} ${count}`).toSorted()).toEqual([
        'movement 1',
        'state 1',
      ]);
    });

    it('count operations that are not final as they are now', async () => {
      const { store } = current();
      const account = newAccount();
      const open = () => read(account, EVER, ['open']);
      const payment = await recorded(store, aPayment(account));
      await recorded(store, aPayment(account, { tills: ['other'], amountMinor: '5' }));
      expect((await open()).toSorted((one, two) => one.till.localeCompare(two.till))).toEqual([
        {
          span: 0,
          measure: 'open',
          kind: 'payment',
          name: 'created',
          count: 1,
          till: 'K000123',
          currency: 'KES',
          minor: '10000',
        },
        expect.objectContaining({ till: 'other', minor: '5' }),
      ]);
      const sent = await changed(store, payment, { state: 'pending' });
      expect(await open()).toContainEqual(expect.objectContaining({ name: 'pending' }));
      await changed(store, sent, { state: 'failed', reason: 'cancelled' });
      expect(await open()).toMatchObject([{ till: 'other' }]);
    });

    it.each([
      [0, '0'],
      [1_500, '42'],
      [65_000, '63'],
      [100_000_000, '106'],
    ])('give a time of %d ms the class %s', async (ms, name) => {
      const { store, advance } = current();
      const startedAt = performance.now();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account));
      if (ms > 0) await advance(ms);
      const aged = await store.operations.find(account, payment.id);
      const time = added({ measure: 'time', name: '', at: aged?.createdAt ?? null });
      const change = ledgerChange(payment, { state: 'failed', reason: 'cancelled' });
      await commitTo(store, { ...change, operation: { ...change.operation!, totals: [time] } });
      const [found] = await read(account, EVER, ['time']);
      expect(found?.count).toBe(1);
      // A real clock goes on between the record and the change.
      const latest = Math.floor(4 * Math.log2(Math.max(1, ms + performance.now() - startedAt)));
      expect(Number(found?.name)).toBeGreaterThanOrEqual(Number(name));
      expect(Number(found?.name)).toBeLessThanOrEqual(Math.max(latest, Number(name)));
    });

    it('count deliveries by their arrival, without duplicates', async () => {
      const { store } = current();
      const account = newAccount();
      const delivery = aDelivery(account);
      await store.deliveries.store(delivery);
      await store.deliveries.store(delivery);
      await store.deliveries.store(aDelivery(account, { kind: 'callback' }));
      const found = await read(account, EVER, ['delivery']);
      expect(found.map(({ name, count }) => `${name} ${count}`).toSorted()).toEqual([
        'callback 1',
        'webhook 1',
      ]);
    });
  });
}
