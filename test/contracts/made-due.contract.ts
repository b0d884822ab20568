import { describe, expect, it } from '@jest/globals';
import type {
  OperationFields,
  PaymentRecord,
  PaymentsStore,
  PaymentState,
} from '@tillkit/payments/internal/store';
import {
  aPayment,
  aPayout,
  changed,
  newAccount,
  PAYER,
  recorded,
  type StoreUnderTest,
} from './store-under-test.js';

const DAY = 86_400_000;
const SAME = {
  subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: PAYER },
  guard: { keys: [] },
};
const SENT = new Date('2026-01-20T10:30:00.000Z');

export function describeMadeDue(current: () => StoreUnderTest): void {
  const due = async (account: string): Promise<string[]> => {
    const { store } = current();
    const claim = { limit: 100, leaseMs: 1, sendLeaseMs: 1 };
    const open = await store.operations.claimDue([account], { ...claim, followed: false });
    const followed = await store.operations.claimDue([account], { ...claim, followed: true });
    return [...open, ...followed].map(({ id }) => id);
  };
  /** Returns a payment that was sent and is not due for a long time. */
  const waiting = async (
    account: string,
    state: PaymentState = 'pending',
    set: OperationFields = {},
    input: Parameters<typeof aPayment>[1] = SAME,
    dueInMs: number | null = 3_600_000,
  ): Promise<PaymentRecord> => {
    const payment = await recorded(current().store, aPayment(account, input), 3_600_000);
    return changed(current().store, payment, { state, sentAt: SENT, ...set }, { dueInMs });
  };
  const makeDue = (account: string, ids: readonly string[], cause = 'money-1'): Promise<void> =>
    current().store.operations.makeDue(account, ids, { cause, againAfterMs: 60_000 });

  describe('payments that are made due', () => {
    it.each(['requested', 'pending', 'unknown', 'needs_review', 'failed'] as const)(
      'are due at once in the state %s, and do not change otherwise',
      async (state) => {
        const { store } = current();
        const account = newAccount();
        const payment = await waiting(account, state);
        const never = await waiting(account, state, {}, SAME, null);
        await waiting(account, state);
        await makeDue(account, [payment.id, never.id, 'none']);
        expect((await due(account)).toSorted()).toEqual([payment.id, never.id].toSorted());
        expect(await store.operations.find(account, payment.id)).toMatchObject({
          version: payment.version,
          updatedAt: payment.updatedAt,
        });
      },
    );

    it.each(['created', 'succeeded', 'reversed'] as const)(
      'do not become due in the state %s',
      async (state) => {
        const account = newAccount();
        const payment = await waiting(account, state);
        await makeDue(account, [payment.id]);
        expect(await due(account)).toEqual([]);
      },
    );

    it('become due once for one cause in a period', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const payment = await waiting(account);
      await makeDue(account, [payment.id]);
      expect(await due(account)).toEqual([payment.id]);
      await store.operations.schedule(payment, { inMs: 3_600_000 });
      await makeDue(account, [payment.id]);
      expect(await due(account)).toEqual([]);
      await makeDue(account, [payment.id], 'money-2');
      expect(await due(account)).toEqual([payment.id]);
      await store.operations.schedule(payment, { inMs: 3_600_000 });
      await advance(60_000);
      await makeDue(account, [payment.id], 'money-2');
      expect(await due(account)).toEqual([payment.id]);
    });

    it('stay due if they are due already, and only payments of the named account become due', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await waiting(account);
      await store.operations.schedule(payment, { inMs: 0 });
      await makeDue(account, [payment.id]);
      expect(await due(account)).toEqual([payment.id]);
      const other = await waiting(newAccount());
      await makeDue(account, [other.id]);
      await makeDue(account, []);
      expect(await due(other.account)).toEqual([]);
    });
  });

  describe('payments whose id nobody knows', () => {
    const found = async (
      account: string,
      query: Partial<Parameters<PaymentsStore['operations']['findUnmatched']>[1]> = {},
    ): Promise<string[]> => {
      const all = { sentFrom: new Date(0), sentTo: new Date(Date.now() + DAY), limit: 100 };
      const { operations } = current().store;
      return (await operations.findUnmatched(account, { ...all, ...query })).map(({ id }) => id);
    };

    it.each(['unknown', 'needs_review'] as const)('are found while they are %s', async (state) => {
      const account = newAccount();
      const { id } = await waiting(account, state);
      expect(await found(account)).toEqual([id]);
      expect(await found(newAccount())).toEqual([]);
    });

    it('are not found with an id, in another state, when they were not sent, or of another kind', async () => {
      const account = newAccount();
      await waiting(account, 'unknown', { platformId: 'known' });
      for (const state of ['created', 'requested', 'pending', 'failed', 'succeeded'] as const)
        await waiting(account, state);
      await waiting(account, 'unknown', { sentAt: null });
      const payout = await recorded(current().store, aPayout(account));
      await changed(current().store, payout, { state: 'unknown', sentAt: SENT });
      expect(await found(account)).toEqual([]);
      const later = await waiting(account, 'unknown');
      await changed(current().store, later, { platformId: 'learnt' });
      expect(await found(account)).toEqual([]);
    });

    it('are found in the order in which they were sent, in a span of which both ends belong to it, and after one', async () => {
      const account = newAccount();
      const sent = [3, 1, 2, 4].map((hours) => new Date(SENT.getTime() + hours * 3_600_000));
      const ids = new Map<number, string>();
      for (const sentAt of sent)
        ids.set(sentAt.getTime(), (await waiting(account, 'unknown', { sentAt })).id);
      const inOrder = [...ids].toSorted(([one], [other]) => one - other).map(([, id]) => id);
      expect(await found(account)).toEqual(inOrder);
      const [three, one] = sent as [Date, Date];
      expect(await found(account, { sentFrom: one, sentTo: three })).toEqual(inOrder.slice(0, 3));
      const first = { sentAt: one, id: inOrder[0] as string };
      expect(await found(account, { after: first, limit: 2 })).toEqual(inOrder.slice(1, 3));
    });
  });
}
