import { describe, expect, it } from '@jest/globals';
import {
  phoneHash,
  type CandidateQuery,
  type NewOperationRecord,
  type OperationRecord,
  type PaymentRecord,
  type PaymentState,
} from '@tillkit/payments/internal/store';
import {
  aPayment,
  aRefund,
  changed,
  newAccount,
  PAYER,
  recorded,
  times,
  type StoreUnderTest,
} from './store-under-test.js';

const at = (text: string): Date => new Date(`2026-01-20T${text}.000Z`);

const HOUR: CandidateQuery = {
  currency: 'KES',
  amountMinor: '10000',
  payerHash: phoneHash(PAYER),
  sentFrom: at('10:00:00'),
  anybodySentFrom: at('08:00:00'),
  sentTo: at('11:00:00'),
};

const MINE = {
  subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: PAYER },
  guard: { keys: [] },
};

export function describeCandidates(current: () => StoreUnderTest): void {
  const sent = async (
    account: string,
    state: PaymentState = 'pending',
    sentAt: Date | null = at('10:30:00'),
    input: Parameters<typeof aPayment>[1] = MINE,
  ): Promise<PaymentRecord> => {
    const { store } = current();
    const payment = await recorded(store, aPayment(account, input));
    return changed(store, payment, { state, sentAt });
  };
  const sentLink = async (
    account: string,
    state: 'pending' | 'failed',
  ): Promise<OperationRecord> => {
    const { store } = current();
    const { channel: _, subscriber: __, ...common } = aPayment(account);
    const link = { ...common, kind: 'payment_link', paymentReference: null, note: null };
    const operation = await recorded(store, link as unknown as NewOperationRecord);
    return changed(store, operation, { state, sentAt: at('08:30:00') });
  };
  const found = async (account: string, query: Partial<CandidateQuery> = {}): Promise<string[]> => {
    const candidates = await current().store.operations.findCandidates(account, {
      ...HOUR,
      ...query,
    });
    return candidates.map(({ id }) => id);
  };

  describe('payments that may own a transaction', () => {
    it('are those that were sent and are open, in review or failed', async () => {
      const { store } = current();
      const account = newAccount();
      const states = ['requested', 'pending', 'unknown', 'needs_review', 'failed'] as const;
      const expected: string[] = [];
      for (const state of states) expected.push((await sent(account, state)).id);
      await recorded(store, aPayment(account, MINE));
      await sent(account, 'failed', null);
      for (const state of ['succeeded', 'reversed'] as const) await sent(account, state);
      expect((await found(account)).toSorted()).toEqual(expected.toSorted());
      expect(await found(newAccount())).toEqual([]);
    });

    it('include failed payments of everybody for a transaction that does not show its payer', async () => {
      const account = newAccount();
      const failed = await sent(account, 'failed');
      expect(await found(account, { payerHash: null })).toEqual([failed.id]);
    });

    it('are those that were sent in the given time window, oldest first', async () => {
      const account = newAccount();
      const times = ['11:00:01', '11:00:00', '10:30:00', '10:00:00', '09:59:59'];
      const ids: string[] = [];
      for (const time of times) ids.unshift((await sent(account, 'pending', at(time))).id);
      expect(await found(account)).toEqual(ids.slice(1, 4));
      expect(await found(account, { payerHash: null })).toEqual(ids.slice(1, 4));
    });

    it('have the amount and the phone of the payer, or any phone if the payer is unreadable', async () => {
      const account = newAccount();
      const mine = await sent(account);
      const other = await sent(account, 'pending', at('10:31:00'), {});
      await sent(account, 'pending', at('10:30:00'), { ...MINE, amountMinor: '10001' });
      await sent(account, 'pending', at('10:30:00'), {
        ...MINE,
        amount: { currency: 'UGX', value: '100' },
      });
      expect(await found(account)).toEqual([mine.id]);
      expect(await found(account, { payerHash: null })).toEqual([mine.id, other.id]);
      expect(await found(account, { payerHash: phoneHash('+254799999999') })).toEqual([]);
    });

    it('are found by their phone behind 150 older payments of the same amount, and are at most 100', async () => {
      const account = newAccount();
      await Promise.all(times(150, () => sent(account, 'pending', at('10:10:00'), {})));
      const mine = await sent(account, 'pending', at('10:50:00'));
      expect(await found(account)).toEqual([mine.id]);
      expect(await found(account, { payerHash: null })).toHaveLength(100);
    });

    it('include failed links, which anybody may have paid', async () => {
      const account = newAccount();
      const link = await sentLink(account, 'failed');
      expect(await found(account)).toEqual([link.id]);
      expect(await found(account, { payerHash: null })).toEqual([link.id]);
    });

    it('include links of the last days, whoever paid, and no payout or refund', async () => {
      const { store } = current();
      const account = newAccount();
      const link = await sentLink(account, 'pending');
      const refund = await recorded(store, aRefund(account));
      await changed(store, refund, { state: 'pending', sentAt: at('10:30:00') });
      const payment = await sent(account);
      expect(await found(account)).toEqual([link.id, payment.id]);
      expect(await found(account, { payerHash: null })).toEqual([link.id, payment.id]);
      expect(await found(account, { anybodySentFrom: at('09:00:00') })).toEqual([payment.id]);
    });
  });
}
