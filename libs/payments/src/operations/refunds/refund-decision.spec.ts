import { FAILURE_STANDS_AFTER_MS } from '../../ledger/decisions.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Decision } from '../../ledger/assessment.js';
import { mayChange } from '../../ledger/operation-states.js';
import { readEnvelope } from '../../platform/wire-value.js';
import { readResource } from '../../platform/resource-table.js';
import { REVERSAL } from '../../platform/resources/reversals.service.js';
import { aRefundRecord } from '../../testing/operations.fixture.js';
import { assessRefund, decideRefund } from './refund.kind.js';
import type { RefundRecord } from './refund.js';
import { failureReason } from '../../money/known-failures.js';

const REFUND = aRefundRecord();

type Wire = Record<string, unknown>;

const reversal = (transfer: Wire | string | null, changes: Wire = {}) => {
  const payment =
    typeof transfer === 'string'
      ? { status: transfer, amount: '100.0', transaction_reference: 'BACK' }
      : transfer;
  const attributes = {
    status: 'Processed',
    transaction_reference: 'ONE',
    reversal_bulk_payment: payment,
    ...changes,
  };
  return readResource(
    REVERSAL,
    readEnvelope({ data: { id: 'platform-1', type: 'reversal', attributes } })!,
  );
};

let now = Date.parse('2026-01-31T08:00:00Z');

/** Every report comes so long after the one before that it could confirm it. */
const later = (): number => (now += FAILURE_STANDS_AFTER_MS);

const decided = (
  refund: RefundRecord,
  shown: ReturnType<typeof reversal>,
  isRead = false,
  at = later(),
): Decision =>
  decideRefund(refund, assessRefund(refund, shown), {
    tiedTo: null,
    received: null,
    transfersOfOthers: new Map(),
    reversal: null,
    otherTill: null,
    isRead,
    isOwnRead: isRead,
    at,
    reasonOf: failureReason,
  });

const after = (
  refund: RefundRecord,
  shown: ReturnType<typeof reversal>,
  isRead = false,
  at = later(),
): RefundRecord => {
  const decision = decided(refund, shown, isRead, at);
  if (decision.kind === 'accept') return { ...refund, state: 'pending' };
  if (decision.kind !== 'change') return refund;
  const { set } = decision.change;
  if (set.state && set.state !== refund.state)
    expect(mayChange(refund.state, set.state)).toBe(true);
  return { ...refund, ...set } as RefundRecord;
};

const PAID = reversal('Transferred');
const CANCELLED = reversal('Cancelled', {
  errors: ['The balance is insufficient for the transaction'],
});

describe('a result of a refund', () => {
  it('makes it succeeded when the transfer back is Transferred, with its own reference', () => {
    for (const state of ['requested', 'pending', 'unknown'] as const)
      expect(after({ ...REFUND, state }, PAID)).toMatchObject({
        state: 'succeeded',
        outcome: { state: 'paid', reference: 'BACK' },
      });
  });

  it.each([
    ['a transfer that is absent', undefined],
    ['no transfer', null],
    ['a transfer that is Pending', 'Pending'],
  ])('means nothing when it is Processed with %s', (_, transfer) => {
    expect(decided(REFUND, reversal(transfer as null), true)).toEqual({
      kind: 'keep',
      anomaly: null,
    });
    expect(decided({ ...REFUND, state: 'unknown' }, reversal(transfer as null))).toEqual({
      kind: 'accept',
    });
  });

  it.each([
    ['of the transfer', reversal('Returned'), 'Returned'],
    ['of the reversal', reversal(null, { status: 'Ready' }), 'Ready'],
  ])('with an unknown word %s is an anomaly and changes nothing', (_, shown, word) => {
    expect(decided(REFUND, shown)).toEqual({ kind: 'keep', anomaly: `unknown status ${word}` });
  });

  it.each([
    ['is Cancelled', reversal('Cancelled'), 'unknown'],
    ['is Cancelled with errors', CANCELLED, 'insufficient_funds'],
    [
      'has only errors',
      reversal(null, { errors: ['The balance is insufficient'] }),
      'insufficient_funds',
    ],
  ])('makes it failed when it %s, and a later read says so again', (_, shown, reason) => {
    const once = after(REFUND, shown);
    expect(once.state).toBe('pending');
    expect(after(once, shown).state).toBe('pending');
    expect(after(once, reversal(null), true).state).toBe('pending');
    expect(after(once, shown, true)).toMatchObject({ state: 'failed', reason });
    expect(after(REFUND, shown, true).state).toBe('pending');
  });

  it.each([
    ['success_with_errors', reversal('Transferred', { errors: ['odd'] })],
    ['amount_mismatch', reversal({ status: 'Transferred', amount: '90' })],
    ['unreadable_amount', reversal({ status: 'Transferred', amount: '5,70' })],
    ['second_transaction', reversal('Transferred', { transaction_reference: 'TWO' })],
  ])('sends it to review with the cause %s', (cause, shown) => {
    expect(after(REFUND, shown)).toMatchObject({ state: 'needs_review', cause });
  });

  it('of a failure is confirmed by a read minutes after its first report, and by no earlier one', () => {
    const start = now;
    let refund = after(REFUND, CANCELLED, false, start);
    for (const minutes of [0.02, 2])
      refund = after(refund, CANCELLED, true, start + minutes * 60_000);
    expect(refund.state).not.toBe('failed');
    expect(after(refund, CANCELLED, false, start + 600_000).state).not.toBe('failed');
    expect(after(refund, CANCELLED, true, start + 150_000).state).toBe('failed');
  });

  it('sends it to review when the money went back after a failure, or after a refused create', () => {
    const once = after(REFUND, CANCELLED);
    const failed = after(once, CANCELLED, true);
    const refused = { ...REFUND, state: 'failed', reason: 'rejected' } as const;
    for (const refund of [once, failed, refused])
      expect(after(refund, PAID)).toMatchObject({
        state: 'needs_review',
        cause: 'paid_after_failure',
      });
  });

  it('opens a decided refund again when it shows a transfer with another reference', () => {
    const review = after(after(REFUND, CANCELLED), PAID);
    const resolved = { ...review, state: 'failed', cause: null, decided: true } as const;
    const other = reversal({
      status: 'Transferred',
      amount: '100',
      transaction_reference: 'TWICE',
    });
    expect(after(resolved, other)).toMatchObject({
      state: 'needs_review',
      cause: 'paid_after_failure',
      outcome: { reference: 'TWICE' },
    });
  });

  it('of a failure leaves a succeeded refund unchanged, and is an anomaly', () => {
    expect(decided(after(REFUND, PAID), CANCELLED, true)).toEqual({
      kind: 'keep',
      anomaly: 'failure while succeeded',
    });
  });

  it('before it was sent changes nothing, and is an anomaly', () => {
    for (const shown of [PAID, CANCELLED])
      expect(decided({ ...REFUND, state: 'created' }, shown)).toEqual({
        kind: 'keep',
        anomaly: 'evidence before sending',
      });
  });

  it.each([
    ['succeeded', PAID],
    ['failed', CANCELLED],
  ] as const)('in any order with older ones ends as %s', (state, end) => {
    const open = reversal(null, { status: 'Scheduled' });
    const piece = fc.tuple(fc.constantFrom(open, reversal('Pending'), end), fc.boolean());
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        let refund: RefundRecord = { ...REFUND, state: 'requested' };
        for (const [shown, isRead] of pieces) refund = after(refund, shown, isRead);
        for (let n = 0; n < 2; n += 1) refund = after(refund, end, true);
        expect(refund.state).toBe(state);
      }),
    );
  });
});
