import { describe, expect, it } from '@jest/globals';
import {
  FOR_EVER_MS,
  type GuardKey,
  type NewOperationRecord,
  type OperationRecord,
  type OperationState,
  type RecordResult,
  type RefusedByGuard,
  type ReviewCause,
} from '@tillkit/payments/internal/store';
import {
  aPayment as aPlainPayment,
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

const guardOf = (...digits: string[]): { keys: GuardKey[] } => ({
  keys: digits.map((digit) => ({ key: hash(digit) })),
});

const PAID_FOR_A_MINUTE = { keys: [{ key: hash('a'), paidForMs: 60_000 }] };
const PAID_FOR_EVER = { keys: [{ key: hash('e'), paidForMs: FOR_EVER_MS }] };

/** Returns a payout to one wallet, which the guard names by its keys. */
const aPayout = (account: string, input: Partial<NewPayout> = {}): NewPayout =>
  aPlainPayout(account, { guard: guardOf('a'), ...input });

/** All states, and whether an operation has no outcome in them. */
const STATES: readonly [OperationState, string, boolean][] = [
  ['created', 'refuse', true],
  ['requested', 'refuse', true],
  ['pending', 'refuse', true],
  ['unknown', 'refuse', true],
  ['needs_review', 'refuse', true],
  ['failed', 'do not refuse', false],
  ['succeeded', 'do not refuse', false],
  ['partially_succeeded', 'do not refuse', false],
  ['reversed', 'do not refuse', false],
];

const CAUSES: readonly ReviewCause[] = [
  'no_evidence',
  'no_transaction',
  'ambiguous',
  'amount_mismatch',
  'currency_mismatch',
  'till_mismatch',
  'unreadable_amount',
  'success_with_errors',
  'failed_with_transaction',
  'paid_after_failure',
  'second_transaction',
  'transaction_of_another_payment',
  'unmatched_results',
  'reversed',
];

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
  const become = (operation: OperationRecord, state: OperationState): Promise<OperationRecord> =>
    changed(current().store, operation, { state });
  const fresh = async ({ account, id }: OperationRecord): Promise<OperationRecord> =>
    (await current().store.operations.find(account, id)) as OperationRecord;

  /** Returns what refused a recording, with the operations in the way; null when it was recorded. */
  const refusal = async (operation: NewOperationRecord): Promise<object | null> => {
    const result = await record(operation);
    if (result.kind === 'recorded') return null;
    const { kind, operations } = result as RefusedByGuard;
    return { [kind]: operations.map(({ id }) => id) };
  };
  const policy = { personalDataMs: 90 * DAY, dedupeForMs: 200 * DAY, limit: 100 };

  describe('operations with a guard', () => {
    it('are read as they were recorded', async () => {
      const payout = aPayout(newAccount(), { besides: ['a', 'b'] });
      const { id } = await recorded(payout);
      const { guard: _, ...fields } = payout;
      expect(await current().store.operations.find(payout.account, id)).toMatchObject({
        ...fields,
        state: 'created',
        outcome: null,
        approvedBy: null,
      });
    });

    it.each(STATES)(
      'that are %s %s another one in flight with an equal key',
      async (state, _, refuses) => {
        const account = newAccount();
        const first = await recorded(aPayout(account));
        if (state !== 'created') await become(first, state);
        const expected = refuses ? { in_flight: [first.id] } : null;
        expect(await refusal(aPayout(account, { guard: guardOf('b', 'a') }))).toEqual(expected);
        // A refused payout holds none of its guards: another can have the one that only it asked for.
        if (refuses) expect(await refusal(aPayout(account, { guard: guardOf('b') }))).toBeNull();
      },
    );

    it.each(CAUSES)(
      'that are in review for the cause %s refuse another with an equal key',
      async (cause) => {
        const account = newAccount();
        const first = await recorded(aPayout(account));
        await changed(current().store, first, { state: 'needs_review', cause });
        expect(await refusal(aPayout(account))).toEqual({ in_flight: [first.id] });
      },
    );

    it.each<OperationState>(['created', 'requested', 'pending', 'unknown', 'needs_review'])(
      'that are %s refuse another with an equal key however old they are, also after retention',
      async (state) => {
        const { store, advance } = current();
        const account = newAccount();
        const payment = aPlainPayment(account, { guard: guardOf('a') });
        const first = await recorded(payment);
        if (state !== 'created') await become(first, state);
        await advance(60 * DAY);
        await store.retention.apply(account, { personalDataMs: 0, dedupeForMs: DAY, limit: 100 });
        expect(await refusal({ ...payment, id: 'second', idempotencyKey: 'second' })).toEqual({
          in_flight: [first.id],
        });
      },
    );

    it.each<OperationState>(['failed', 'partially_succeeded'])(
      'that were %s refuse another again when they come back into review, also beside others that were recorded meanwhile',
      async (state) => {
        const account = newAccount();
        const first = await recorded(aPayout(account));
        await become(first, state);
        for (const end of ['failed', 'succeeded'] as const)
          await become(await recorded(aPayout(account)), end);
        await become(await fresh(first), 'needs_review');
        expect(await refusal(aPayout(account))).toEqual({ in_flight: [first.id] });
      },
    );

    it.each<[OperationState]>([['succeeded'], ['partially_succeeded']])(
      'that have %s refuse another with an equal key for the time that it names, as paid',
      async (state) => {
        const account = newAccount();
        const guard = PAID_FOR_A_MINUTE;
        const first = await recorded(aPayout(account, { guard }));
        await become(first, state);
        expect(await refusal(aPayout(account, { guard }))).toEqual({ already_paid: [first.id] });
        expect(await refusal(aPayout(account))).toBeNull();
        await current().advance(61_000);
        for (const { id } of (await current().store.operations.list(account, {}, { limit: 9 }))
          .items)
          if (id !== first.id) await become(await fresh({ ...first, id }), 'failed');
        expect(await refusal(aPayout(account, { guard }))).toBeNull();
      },
    );

    it('do not refuse those of another account or with another key', async () => {
      const account = newAccount();
      const { id } = await recorded(aPayout(account));
      expect(await refusal(aPayout(newAccount()))).toBeNull();
      expect(await refusal(aPayout(account, { guard: guardOf('c') }))).toBeNull();
      expect(await refusal(aPayout(account))).toEqual({ in_flight: [id] });
    });

    it('at a till refuse only those that have a till in common, with and without its K', async () => {
      const account = newAccount();
      const guard = { keys: [{ key: hash('a'), atTill: true }] };
      const at = (...tills: string[]): NewOperationRecord =>
        aPlainPayment(account, { guard, tills });
      const first = await recorded(at('K000123', '514459'));
      expect(await refusal(at('999'))).toBeNull();
      expect(await refusal(at('000123', '7'))).toEqual({ in_flight: [first.id] });
    });

    it('that are named are passed, and each other one that is in the way refuses', async () => {
      const account = newAccount();
      const first = await recorded(aPayout(account));
      const besides = [first.id];
      const second = await recorded(aPayout(account, { besides }));
      expect(await refusal(aPayout(account, { besides }))).toEqual({ in_flight: [second.id] });
      expect(await refusal(aPayout(account))).toEqual({ in_flight: [first.id, second.id] });
      expect(await refusal(aPayout(account, { besides: [first.id, second.id] }))).toBeNull();
    });

    it.each<OperationState>(['succeeded', 'partially_succeeded'])(
      'that are named refuse whoever names them once they have %s, and only those',
      async (state) => {
        const account = newAccount();
        const first = await recorded(aPayout(account));
        const other = await recorded(aPayout(account, { guard: guardOf('b') }));
        await become(first, state);
        const besides = [first.id, other.id];
        expect(await refusal(aPayout(account, { besides }))).toEqual({ already_paid: [first.id] });
        expect(await refusal(aPayout(account, { besides: [other.id] }))).toBeNull();
      },
    );

    it('are named with what a person needs to decide', async () => {
      const account = newAccount();
      const metadata = { shelf: 7 };
      const first = await recorded(
        aPlainPayment(account, { guard: guardOf('a'), order: '1042', metadata }),
      );
      const { createdAt } = await become(first, 'unknown');
      expect(await record(aPayout(account))).toEqual({
        kind: 'in_flight',
        operations: [
          {
            id: first.id,
            kind: 'payment',
            idempotencyKey: first.idempotencyKey,
            order: '1042',
            metadata,
            state: 'unknown',
            since: createdAt,
          },
        ],
      });
      const payout = await recorded(aPayout(newAccount()));
      expect(await record(aPayout(payout.account))).toMatchObject({
        operations: [{ id: payout.id, kind: 'payout', order: null }],
      });
    });

    it('are named up to twenty, the oldest first', async () => {
      const account = newAccount();
      const ids: string[] = [];
      for (let n = 0; n < 21; n += 1)
        ids.push((await recorded(aPayout(account, { besides: [...ids] }))).id);
      expect(await refusal(aPayout(account))).toEqual({ in_flight: ids.slice(0, 20) });
    });

    it('are recorded once when many with overlapping keys come at the same moment', async () => {
      const account = newAccount();
      const digits = ['a', 'b', 'c'];
      const results = await Promise.all(
        times(24, (n) =>
          record(aPayout(account, { guard: guardOf(digits[n % 3] as string, 'd') })),
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

    it('that were paid refuse for ever with a key that says so, also after retention has redacted them', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const refund = await recorded(aRefund(account, { guard: PAID_FOR_EVER }));
      await become(refund, 'succeeded');
      const order = { keys: [{ key: hash('f'), paidForMs: FOR_EVER_MS }, { key: hash('a') }] };
      const payment = await recorded(aPlainPayment(account, { guard: order }));
      await become(payment, 'succeeded');
      await advance(91 * DAY);
      expect(await store.retention.apply(account, policy)).toMatchObject({ redacted: 2 });
      expect(await refusal(aRefund(account, { guard: PAID_FOR_EVER }))).toEqual({
        already_paid: [refund.id],
      });
      expect(await refusal(aPlainPayment(account, { guard: order }))).toEqual({
        already_paid: [payment.id],
      });
      expect(await refusal(aPlainPayment(account, { guard: guardOf('a') }))).toBeNull();
      await advance(201 * DAY);
      await store.retention.apply(account, policy);
      await store.retention.apply(account, policy);
      expect(await store.operations.find(account, refund.id)).toBeNull();
      expect(await refusal(aRefund(account, { guard: PAID_FOR_EVER }))).toBeNull();
    });

    it('whose money went back do not refuse for ever', async () => {
      const account = newAccount();
      await become(await recorded(aPlainPayment(account, { guard: PAID_FOR_EVER })), 'reversed');
      expect(await refusal(aPlainPayment(account, { guard: PAID_FOR_EVER }))).toBeNull();
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
      aPayout(account, { guard: { keys: [] }, dailyLimitMinor: '25000', ...more });

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
      // A payout that waits to be sent or approved counts, however old it is.
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

    it.each<[string, Partial<NewPayout>, Partial<NewPayout>, OperationState, object]>([
      ['an operation with an equal key', {}, {}, 'pending', { kind: 'in_flight' }],
      [
        'one that it has named, and that was paid',
        {},
        { besides: ['the first'] },
        'succeeded',
        { kind: 'already_paid' },
      ],
      [
        'the limit of a day',
        { guard: { keys: [] } },
        { guard: { keys: [] }, dailyLimitMinor: '19999' },
        'pending',
        { kind: 'over_limit', usedMinor: '10000' },
      ],
    ])('is refused its approval by %s', async (_, one, other, state, refused) => {
      const { store } = current();
      const account = newAccount();
      const first = await recorded(aPayout(account, { id: `first-${account}`, ...one }));
      await become(first, 'failed');
      const besides = other.besides ? [first.id] : [];
      const { dailyLimitMinor: __, ...unlimited } = other;
      const held = aPayout(account, { needsApproval: true, ...unlimited, besides });
      const result = await record(held, { isHeld: true });
      if (result.kind !== 'recorded') throw new Error(result.kind);
      const asks = { ...held, ...other, besides };
      expect(await store.operations.refusalOf(asks)).toBeNull();
      const approve = (): Promise<OperationRecord> =>
        changed(store, result.operation, { approvedBy: 'Peter' }, { asks, sendWithinMs: 60_000 });
      await become(await become(await fresh(first), 'needs_review'), state);
      expect(await store.operations.refusalOf(asks)).toMatchObject(refused);
      await expect(approve()).rejects.toThrow('refused');
      await become(await fresh(first), 'failed');
      expect(await approve()).toMatchObject({ approvedBy: 'Peter', state: 'created' });
    });
  });

  describe('operations whose destinations are counted', () => {
    const counted = (account: string, minor: string): NewPayout =>
      aPayout(account, {
        guard: { keys: [], counted: { [hash('d')]: minor } },
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
    const guard = { keys: [{ key: hash('a'), paidForMs: 600_000 }] };
    const paid = aPayout(account, { guard });
    await changed(store, await recorded(paid), { state: 'succeeded' });
    await advance(9 * 60_000);
    const early = { ...policy, personalDataMs: 0 };
    await store.retention.apply(account, early);
    expect(await refusal(aPayout(account, { guard }))).toEqual({ already_paid: [paid.id] });
    await advance(2 * 60_000);
    await store.retention.apply(account, early);
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
