import { describe, expect, it } from '@jest/globals';
import {
  MOST_FOUND,
  phoneHash,
  type TransactionSum,
  type UntiedQuery,
} from '@tillkit/payments/internal/store';
import {
  aSum,
  aTransaction,
  newAccount,
  PAYER,
  times,
  transactionChange,
  type StoreUnderTest,
  commitTo,
} from './store-under-test.js';

const at = (text: string): Date => new Date(`2026-01-20T${text}.000Z`);

/** A query for transactions of one hour that may belong to the payer. */
const HOUR: UntiedQuery = {
  currency: 'KES',
  amountMinor: '10000',
  payerHash: phoneHash(PAYER),
  from: at('10:00:00'),
  to: at('11:00:00'),
};

const ANOTHER = phoneHash('+254700000002');

export function describeTransactions(current: () => StoreUnderTest): void {
  const write = (
    account: string,
    reference: string,
    ...sums: readonly Partial<TransactionSum>[]
  ): Promise<Date | null> =>
    commitTo(current().store, transactionChange(account, reference, null, sums.map(aSum)));
  const untied = async (account: string, query: Partial<UntiedQuery> = {}): Promise<string[]> => {
    const found = await current().store.transactions.findUntied(account, { ...HOUR, ...query });
    return found.map(({ reference }) => reference);
  };

  describe('a transaction', () => {
    it('is read as it was written, and keeps when it was first seen', async () => {
      const { store } = current();
      const account = newAccount();
      expect(await store.transactions.find(account, 'R1')).toBeNull();
      await commitTo(store, transactionChange(account, 'R1', null));
      const first = await store.transactions.find(account, 'R1');
      const sums = [
        aSum({
          received: null,
          reversal: aTransaction({ status: 'Reversed' }),
          webhookEventIds: ['a', 'b'],
          webhookDeliveryIds: ['c', 'd'],
          announced: false,
          reversalAnnounced: true,
          originatedAt: null,
          currency: null,
          amountMinor: null,
          payerHash: null,
        }),
      ];
      expect(await commitTo(store, transactionChange(account, 'R1', 1, sums))).toBeInstanceOf(Date);
      expect(await store.transactions.find(account, 'R1')).toEqual({
        account,
        reference: 'R1',
        version: 2,
        sums,
        createdAt: first?.createdAt,
        redacted: false,
      });
      expect(await store.transactions.find(account, 'r1')).toBeNull();
      expect(await store.transactions.find(newAccount(), 'R1')).toBeNull();
    });

    it('is found among many by its reference, and unknown references are left out', async () => {
      const { store } = current();
      const account = newAccount();
      const references = ['R1', 'R2', 'R3'];
      for (const reference of references) await write(account, reference, {});
      await write(newAccount(), 'R4', {});
      const found = await store.transactions.findMany(account, [...references, 'R4']);
      expect([...found.keys()].toSorted()).toEqual(references);
      for (const reference of references) {
        expect(found.get(reference)).toMatchObject({ account, reference, version: 1 });
      }
      expect((await store.transactions.findMany(account, [])).size).toBe(0);
    });

    it('is created by one of many concurrent changes', async () => {
      const { store } = current();
      const account = newAccount();
      const results = await Promise.all(
        times(20, () => commitTo(store, transactionChange(account, 'R1', null))),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
    });

    it('with two amounts under one reference is one record that changes as a whole', async () => {
      const { store } = current();
      const account = newAccount();
      const sums = [aSum({ tills: ['1'] }), aSum({ tills: ['2'], amountMinor: '500' })];
      await commitTo(store, transactionChange(account, 'R1', null, sums));
      const tied = [aSum({ tills: ['1'], paymentId: 'one' }), sums[1] as TransactionSum];
      const also = [sums[0] as TransactionSum, aSum({ tills: ['2'], paymentId: 'two' })];
      const results = await Promise.all(
        [tied, also].map((each) => commitTo(store, transactionChange(account, 'R1', 1, each))),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      expect((await store.transactions.find(account, 'R1'))?.sums).toEqual(
        results[0] ? tied : also,
      );
    });
  });

  describe('a transaction without a payment', () => {
    it('is found if it was received, and has the amount and a time in the window', async () => {
      const account = newAccount();
      const between = { originatedAt: at('10:30:00') };
      await write(account, 'at the end', { originatedAt: at('11:00:00') });
      await write(account, 'at the start', { originatedAt: at('10:00:00') });
      await write(account, 'too early', { originatedAt: at('09:59:59') });
      await write(account, 'too late', { originatedAt: at('11:00:01') });
      await write(account, 'no time', { originatedAt: null });
      await write(account, 'no amount', { ...between, amountMinor: null });
      await write(account, 'no currency', { ...between, currency: null });
      await write(account, 'another amount', { ...between, amountMinor: '10001' });
      await write(account, 'another currency', { ...between, currency: 'UGX' });
      await write(account, 'tied', { ...between, paymentId: 'payment' });
      await write(account, 'only reversed', { ...between, received: null });
      expect(await untied(account)).toEqual(['at the start', 'at the end']);
      expect(await untied(newAccount())).toEqual([]);
    });

    it('is found if its payer matches or is unreadable, ordered by origin time', async () => {
      const account = newAccount();
      await write(account, 'third', { originatedAt: at('10:30:00') });
      await write(account, 'second', { originatedAt: at('10:20:00'), payerHash: null });
      await write(account, 'first', { originatedAt: at('10:10:00') });
      await write(account, 'other', { originatedAt: at('10:15:00'), payerHash: ANOTHER });
      expect(await untied(account)).toEqual(['first', 'second', 'third']);
      expect(await untied(account, { payerHash: ANOTHER })).toEqual(['other', 'second']);
    });

    it('is found by when it was reported if its time is unreadable', async () => {
      const account = newAccount();
      await write(account, 'timeless', { originatedAt: null });
      await write(account, 'one of two', { originatedAt: null }, { amountMinor: '1' });
      expect(await untied(account)).toEqual([]);
      const reported = (await current().store.transactions.find(account, 'timeless'))?.createdAt;
      const around = { from: reported as Date, to: new Date(Number(reported) + 60_000) };
      expect(await untied(account, around)).toEqual(['timeless', 'one of two']);
    });

    it('is found behind 150 older ones of the same amount with unreadable payers', async () => {
      const account = newAccount();
      const hidden = { originatedAt: at('10:10:00'), payerHash: null };
      await Promise.all(times(150, (index) => write(account, `other-${index}`, hidden)));
      await write(account, 'mine', { originatedAt: at('10:50:00') });
      const found = await untied(account);
      expect(found).toHaveLength(MOST_FOUND + 1);
      expect(found.at(-1)).toBe('mine');
    });

    it('is found behind 150 older ones of the same amount from other payers', async () => {
      const account = newAccount();
      await Promise.all(
        times(150, (index) =>
          write(account, `other-${index}`, {
            originatedAt: at('10:10:00'),
            payerHash: phoneHash(`+2547000100${index}`),
          }),
        ),
      );
      await write(account, 'mine', { originatedAt: at('10:50:00') });
      expect(await untied(account)).toEqual(['mine']);
    });

    it.each([
      ['shows', HOUR.payerHash],
      ['does not show', null],
    ])(
      'is one of at most 100 in a result that %s the payer, ordered by origin time',
      async (_, payerHash) => {
        const account = newAccount();
        const start = at('10:00:00').getTime();
        await Promise.all(
          times(120, (index) => {
            const originatedAt = new Date(start + (120 - index) * 1_000);
            return write(account, `R${index}`, { originatedAt, payerHash });
          }),
        );
        const found = await untied(account);
        expect(found).toEqual(times(MOST_FOUND, (index) => `R${119 - index}`));
      },
    );

    it('is found by any amount of its record, if all other values of that amount match', async () => {
      const account = newAccount();
      const between = { originatedAt: at('10:30:00') };
      const tied = { ...between, paymentId: 'payment' };
      await write(account, 'second', tied, { tills: ['2'], ...between });
      await write(account, 'first', { originatedAt: at('10:05:00') }, { ...tied, tills: ['2'] });
      await write(
        account,
        'earlier sum of another amount',
        { originatedAt: at('08:00:00'), amountMinor: '1' },
        { tills: ['2'], originatedAt: at('10:40:00') },
      );
      await write(account, 'one', { originatedAt: at('10:35:00') });
      await write(account, 'none', tied, { ...tied, tills: ['2'] });
      await write(
        account,
        'each fits in half',
        { ...between, amountMinor: '1' },
        { ...between, tills: ['2'], currency: 'USD' },
      );
      expect(await untied(account)).toEqual([
        'first',
        'second',
        'one',
        'earlier sum of another amount',
      ]);
    });

    it('is no longer found once it belongs to a payment', async () => {
      const { store } = current();
      const account = newAccount();
      const sums = [aSum({ originatedAt: at('10:30:00') })];
      await commitTo(store, transactionChange(account, 'R1', null, sums));
      expect(await untied(account)).toEqual(['R1']);
      const tied = sums.map((sum) => ({ ...sum, paymentId: 'payment' }));
      await commitTo(store, transactionChange(account, 'R1', 1, tied));
      expect(await untied(account)).toEqual([]);
    });
  });
}
