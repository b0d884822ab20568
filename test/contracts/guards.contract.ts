import { describe, expect, it } from '@jest/globals';
import type {
  NewOperationRecord,
  OperationRecord,
  OperationState,
  RecordResult,
} from '@tillkit/payments/internal/store';
import {
  aPayout as aPlainPayout,
  aRefund,
  changed,
  newAccount,
  times,
  type NewPayout,
  type StoreUnderTest,
} from './store-under-test.js';

const DAY = 86_400_000;

const hash = (digit: string): string => digit.repeat(64);

/** A payout to one wallet, which the guard names by its keys. */
const aPayout = (account: string, input: Partial<NewPayout> = {}): NewPayout =>
  aPlainPayout(account, {
    guard: { keys: [hash('a')], blockedIn: ['created', 'requested', 'pending', 'needs_review'] },
    ...input,
  });

export function describeGuards(current: () => StoreUnderTest): void {
  const record = (
    operation: NewOperationRecord,
    options: { isHeld?: boolean } = {},
  ): Promise<RecordResult<OperationRecord>> =>
    current().store.operations.record(operation, { sendBeforeMs: 60_000, ...options });
  const recorded = async (operation: NewOperationRecord): Promise<OperationRecord> => {
    const result = await record(operation);
    if (result.kind !== 'recorded') throw new Error(result.kind);
    return result.operation;
  };
  const become = (operation: OperationRecord, state: OperationState): Promise<unknown> =>
    changed(current().store, operation, { state });

  describe('operations with a guard', () => {
    it('are read as they were recorded', async () => {
      const payout = aPayout(newAccount());
      const { id } = await recorded(payout);
      const { guard: _, ...fields } = payout;
      expect(await current().store.operations.find(payout.account, id)).toMatchObject({
        ...fields,
        state: 'created',
        outcome: null,
        approvedBy: null,
      });
    });

    it.each<[OperationState]>([['succeeded'], ['partially_succeeded']])(
      'that have %s refuse another with an equal key for the time that it names',
      async (state) => {
        const account = newAccount();
        const guard = { ...aPayout(account).guard!, settledWithinMs: 60_000 };
        const first = await recorded(aPayout(account, { guard }));
        await become(first, state);
        const refused = await record(aPayout(account, { guard }));
        expect(refused).toEqual({ kind: 'in_flight', id: first.id });
        await become(await recorded(aPayout(account, { guard, allowParallel: true })), 'failed');
        await current().advance(61_000);
        expect(await record(aPayout(account, { guard }))).toMatchObject({ kind: 'recorded' });
      },
    );

    it.each<[OperationState, boolean]>([
      ['pending', true],
      ['needs_review', true],
      ['succeeded', false],
      ['failed', false],
    ])('that are %s refuse another with an equal key: %s', async (state, refuses) => {
      const account = newAccount();
      const first = await recorded(aPayout(account));
      await become(first, state);
      const second = aPayout(account, {
        guard: { keys: [hash('b'), hash('a')], blockedIn: ['pending', 'needs_review'] },
      });
      const result = await record(second);
      expect(result).toMatchObject(
        refuses ? { kind: 'in_flight', id: first.id } : { kind: 'recorded' },
      );
      if (refuses) {
        // What the refused one would have guarded stays free.
        const third = aPayout(account, { guard: { keys: [hash('b')], blockedIn: ['created'] } });
        expect((await record(third)).kind).toBe('recorded');
      }
    });

    it('that failed refuse another one again when they go to review later', async () => {
      const account = newAccount();
      const first = await recorded(aPayout(account));
      await become(first, 'failed');
      const second = await recorded(aPayout(account));
      await become(second, 'failed');
      const again = await current().store.operations.find(account, first.id);
      await become(again as OperationRecord, 'needs_review');
      expect(await record(aPayout(account))).toMatchObject({ kind: 'in_flight', id: first.id });
    });

    it('do not refuse those of another account, with another key, or with allowParallel', async () => {
      const account = newAccount();
      const { id } = await recorded(aPayout(account));
      expect((await record(aPayout(newAccount()))).kind).toBe('recorded');
      const other = aPayout(account, { guard: { keys: [hash('c')], blockedIn: ['created'] } });
      expect((await record(other)).kind).toBe('recorded');
      expect((await record(aPayout(account, { allowParallel: true }))).kind).toBe('recorded');
      expect(await record(aPayout(account))).toMatchObject({ kind: 'in_flight', id });
    });

    it('are recorded once when many with overlapping keys come at the same moment', async () => {
      const account = newAccount();
      const keys = [hash('a'), hash('b'), hash('c')];
      const results = await Promise.all(
        times(24, (n) =>
          record(
            aPayout(account, {
              guard: { keys: [keys[n % 3] as string, hash('d')], blockedIn: ['created'] },
            }),
          ),
        ),
      );
      expect(results.filter(({ kind }) => kind === 'recorded')).toHaveLength(1);
    });

    it('return the existing one for a repeated key, also while it refuses others', async () => {
      const payout = aPayout(newAccount());
      await recorded(payout);
      expect(await record({ ...payout, id: 'again' })).toMatchObject({
        kind: 'existing',
        operation: { id: payout.id },
      });
    });

    it('of refunds refuse another refund of the same money also after retention has redacted them', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const guard = { keys: [hash('e')], blockedIn: ['succeeded'] as const };
      const first = await recorded(aRefund(account, { guard }));
      await become(first, 'succeeded');
      await advance(91 * DAY);
      const policy = { personalDataMs: 90 * DAY, dedupeForMs: 1_000 * DAY, limit: 100 };
      expect(await store.retention.apply(account, policy)).toMatchObject({ redacted: 1 });
      expect(await record(aRefund(account, { guard }))).toEqual({
        kind: 'in_flight',
        id: first.id,
      });
    });

    it('may have the idempotency key and the platform id of another kind, and a refund is found by its money', async () => {
      const { store } = current();
      const account = newAccount();
      const payout = aPayout(account, { idempotencyKey: 'order' });
      await changed(store, await recorded(payout), { platformId: 'x' });
      const refund = aRefund(account, { idempotencyKey: 'order' });
      await changed(store, await recorded(refund), { platformId: 'x' });
      const found = await store.operations.findByIdempotencyKey(account, 'refund', 'order');
      expect(found?.id).toBe(refund.id);
      expect((await store.operations.findByPlatformId(account, 'payout', 'x'))?.id).toBe(payout.id);
      const refundsOf = async (refundOf: string, of = account): Promise<string[]> => {
        const { items } = await store.operations.list(of, { refundOf }, { limit: 9 });
        return items.map(({ id }) => id);
      };
      expect(await refundsOf('R')).toEqual([refund.id]);
      expect(await refundsOf('r')).toEqual([]);
      expect(await refundsOf('R', newAccount())).toEqual([]);
    });
  });

  describe('a limit of a day', () => {
    const limited = (account: string, more: Partial<NewPayout> = {}): NewPayout =>
      aPayout(account, { allowParallel: true, dailyLimitMinor: '25000', ...more });

    it('counts what did not fail in the last 24 hours, of one kind, currency and account', async () => {
      const { advance } = current();
      const account = newAccount();
      const first = await recorded(limited(account));
      const second = await recorded(limited(account));
      expect(await record(limited(account))).toEqual({ kind: 'over_limit', usedMinor: '20000' });
      expect((await record(limited(newAccount()))).kind).toBe('recorded');
      const dollars = { amount: { currency: 'USD', value: '100.00' } };
      expect((await record(limited(account, dollars))).kind).toBe('recorded');
      await become(first, 'failed');
      const third = await recorded(limited(account));
      // What waits to be sent or approved counts however old it is.
      await advance(24 * 3_600_000);
      expect(await record(limited(account))).toEqual({ kind: 'over_limit', usedMinor: '20000' });
      for (const each of [second, third]) await become(each, 'pending');
      expect((await record(limited(account))).kind).toBe('recorded');
    });

    it('counts what was approved in the last 24 hours from its approval on', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const { operation } = (await record(limited(account), { isHeld: true })) as {
        operation: OperationRecord;
      };
      await advance(48 * 3_600_000);
      const approved = await changed(
        store,
        operation,
        { approvedBy: 'Peter' },
        { sendWithinMs: 60_000 },
      );
      await become(approved, 'pending');
      await become(await recorded(limited(account)), 'pending');
      expect(await record(limited(account))).toEqual({ kind: 'over_limit', usedMinor: '20000' });
      await advance(25 * 3_600_000);
      await recorded(limited(account));
      await recorded(limited(account));
      expect(await record(limited(account))).toEqual({ kind: 'over_limit', usedMinor: '20000' });
    });

    it('holds when many are recorded at the same moment', async () => {
      const account = newAccount();
      const results = await Promise.all(times(20, () => record(limited(account))));
      expect(results.filter(({ kind }) => kind === 'recorded')).toHaveLength(2);
    });
  });

  describe('an operation that is held for approval', () => {
    it('is not due and cannot be sent, until an approval gives it its time', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const payout = aPayout(account, { inBackground: true, needsApproval: true });
      const result = await record(payout, { isHeld: true });
      if (result.kind !== 'recorded') throw new Error(result.kind);
      const due = async (): Promise<string[]> =>
        (
          await store.operations.claimDue([account], {
            followed: false,
            limit: 10,
            leaseMs: 1_000,
            sendLeaseMs: 1_000,
          })
        ).map(({ id }) => id);
      await advance(3_600_000);
      expect(await due()).toEqual([]);
      await expect(changed(store, result.operation, { state: 'requested' })).rejects.toThrow(
        'refused',
      );
      const approved = await changed(
        store,
        result.operation,
        { approvedBy: 'Peter' },
        { sendWithinMs: 60_000, dueInMs: 0 },
      );
      expect(approved).toMatchObject({ approvedBy: 'Peter', state: 'created' });
      expect(approved.sendWithinMs).toBeGreaterThan(0);
      expect(await due()).toEqual([payout.id]);
      await changed(store, approved, { state: 'requested' });
    });
  });

  describe('operations whose destinations are counted', () => {
    const counted = (account: string, minor: string): NewPayout =>
      aPayout(account, {
        guard: { keys: [hash('a')], blockedIn: [], counted: { [hash('d')]: minor } },
        approveFromMinor: '100',
      });

    it('need approval when their destination gets as much in a day, and are recorded when they wait for it', async () => {
      const account = newAccount();
      await recorded(counted(account, '41'));
      const failed = await recorded(counted(account, '42'));
      expect(await record(counted(account, '17'))).toEqual({ kind: 'needs_approval' });
      await become(failed, 'failed');
      await recorded(counted(account, '58'));
      expect(await record(counted(account, '1'))).toEqual({ kind: 'needs_approval' });
      const { approveFromMinor: _, ...held } = counted(account, '1');
      expect((await record(held, { isHeld: true })).kind).toBe('recorded');
      await recorded(counted(newAccount(), '99'));
      for (const { id, state } of (
        await current().store.operations.list(account, {}, { limit: 10 })
      ).items) {
        const found = await current().store.operations.find(account, id);
        if (state === 'created' && id !== held.id)
          await become(found as OperationRecord, 'pending');
      }
      await current().advance(DAY + 1_000);
      await recorded(counted(account, '98'));
      expect(await record(counted(account, '1'))).toEqual({ kind: 'needs_approval' });
    });

    it('are counted once each when many are recorded at the same moment', async () => {
      const account = newAccount();
      const results = await Promise.all(times(20, () => record(counted(account, '15'))));
      expect(results.filter(({ kind }) => kind === 'recorded')).toHaveLength(6);
    });
  });

  it('refuses a payout that was just paid, however early personal data are redacted', async () => {
    const { store, advance } = current();
    const account = newAccount();
    const guard = { keys: [hash('a')], blockedIn: [], settledWithinMs: 600_000 };
    const paid = aPayout(account, { guard });
    await changed(store, await recorded(paid), { state: 'succeeded' });
    await advance(9 * 60_000);
    const policy = { personalDataMs: 0, dedupeForMs: 1_000 * 86_400_000, limit: 10 };
    await store.retention.apply(account, policy);
    expect(await record(aPayout(account, { guard }))).toEqual({ kind: 'in_flight', id: paid.id });
    await advance(2 * 60_000);
    await store.retention.apply(account, policy);
    expect(await store.operations.find(account, paid.id)).toMatchObject({ recipients: [] });
  });

  it('redacts who was paid by a payout, and keeps its amounts and its outcome', async () => {
    const { store, advance } = current();
    const account = newAccount();
    const payout = aPayout(account);
    const outcome = [{ state: 'paid', transactionReference: 'REF', errors: ['to Jane'] }];
    await changed(store, await recorded(payout), { state: 'succeeded', outcome });
    await advance(91 * 86_400_000);
    await store.retention.apply(account, {
      personalDataMs: 90 * 86_400_000,
      dedupeForMs: 1_000 * 86_400_000,
      limit: 10,
    });
    expect(await store.operations.find(account, payout.id)).toMatchObject({
      recipients: [],
      metadata: null,
      transfers: payout.transfers,
      outcome: [{ state: 'paid', transactionReference: 'REF', errors: [] }],
      requestedBy: null,
    });
    expect((await record(aPayout(account))).kind).toBe('recorded');
  });
}
