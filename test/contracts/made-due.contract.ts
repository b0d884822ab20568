import { describe, expect, it } from '@jest/globals';
import type {
  OperationFields,
  PaymentRecord,
  PaymentState,
} from '@tillkit/payments/internal/store';
import {
  aPayment,
  changed,
  newAccount,
  PAYER,
  recorded,
  type StoreUnderTest,
} from './store-under-test.js';

const SAME = {
  subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: PAYER },
  allowParallel: true,
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
  /** A payment that was sent and is not due for a long time. */
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

  describe('payments that wait for a rival', () => {
    const leaves: [string, OperationFields][] = [
      ['succeeds', { state: 'succeeded' }],
      ['fails', { state: 'failed' }],
      ['goes to review', { state: 'needs_review', cause: 'ambiguous' }],
      ['is denied by a read', { deniedAt: SENT }],
    ];
    it.each(leaves)('become due when the rival %s', async (_, set) => {
      const { store } = current();
      const account = newAccount();
      const unknown = await waiting(account, 'unknown');
      const reviewed = await waiting(account, 'needs_review', {}, SAME, null);
      const rival = await waiting(account, 'pending', { platformId: 'rival' });
      await changed(store, rival, set);
      expect((await due(account)).toSorted()).toEqual([unknown.id, reviewed.id].toSorted());
    });

    it.each<[string, OperationFields]>([
      ['a person decides', { decided: true }],
      ['a later read denies it', { deniedAt: SENT }],
    ])('become due when the rival is in review and %s', async (_, set) => {
      const { store } = current();
      const account = newAccount();
      const rival = await waiting(account, 'needs_review');
      const unknown = await waiting(account, 'unknown');
      await changed(store, rival, set);
      expect(await due(account)).toEqual([unknown.id]);
    });

    it('do not become due when the rival gets no outcome, when they have a platform id, or when phone or amount differ', async () => {
      const { store } = current();
      const account = newAccount();
      const rival = await waiting(account);
      const { allowParallel } = SAME;
      await waiting(account, 'unknown', { platformId: 'known' });
      await waiting(account, 'unknown', {}, { allowParallel });
      await waiting(account, 'unknown', {}, { ...SAME, amountMinor: '1' });
      await waiting(account, 'unknown', {}, { ...SAME, amount: { currency: 'UGX', value: '1' } });
      for (const state of ['created', 'requested', 'pending', 'failed', 'succeeded'] as const) {
        await waiting(account, state);
      }
      const elsewhere = await waiting(newAccount(), 'unknown');
      const unknown = await waiting(account, 'unknown');
      const later = await changed(store, rival, { checks: 1, windowSwept: true, decided: false });
      expect(await due(account)).toEqual([]);
      await changed(store, later, { state: 'succeeded' });
      expect(await due(account)).toEqual([unknown.id]);
      expect(await due(elsewhere.account)).toEqual([]);
    });

    it('become due when several rivals fail at once', async () => {
      const { store } = current();
      const account = newAccount();
      const unknown = await waiting(account, 'unknown');
      const rivals: PaymentRecord[] = [];
      for (const name of ['a', 'b', 'c', 'd']) {
        rivals.push(await waiting(account, 'pending', { platformId: `rival-${name}` }));
      }
      await Promise.all(rivals.map((rival) => changed(store, rival, { state: 'failed' })));
      expect(await due(account)).toEqual([unknown.id]);
    });
  });
}
