import { describe, expect, it } from '@jest/globals';
import type { Assessment, DecisionContext } from './assessment.js';
import type { ReviewCause } from '../store/operation.js';
import type { Transaction } from '../money/transaction.js';
import { anIncomingPayment, aPaymentRecord, aTransaction } from '../testing/ledger.fixture.js';
import { assess } from '../operations/payments/payment.kind.js';
import { decideReceived } from './decisions.js';
import type { PaymentRecord, PaymentState } from '../operations/payments/payment.js';
import { failureReason } from '../money/known-failures.js';

const TRANSACTION = aTransaction({ reference: 'REF1' });

const assessed = (
  status: string,
  transaction: Transaction | null,
  errors: string[] = [],
): Assessment => assess(aPaymentRecord(), anIncomingPayment('x', status, transaction, errors), {});

const NO_CONTEXT: DecisionContext = {
  tiedTo: null,
  received: null,
  transfersOfOthers: new Map(),
  reversal: null,
  otherTill: null,
  isRead: false,
  isOwnRead: false,
  at: null,
  reasonOf: failureReason,
};

const SUCCESS = assessed('Success', TRANSACTION);
const FAILURE = assessed('Failed', null, ['no']);
const MISMATCH = assessed('Success', { ...TRANSACTION, amount: '1' });
const EMPTY = assessed('Success', null);
const OPEN = assessed('Pending', null);

describe('an assessment', () => {
  const decided = (
    state: PaymentState,
    assessment: Assessment,
    context: Partial<DecisionContext> = {},
    changes: Partial<PaymentRecord> = {},
  ) =>
    decideReceived(aPaymentRecord({ state, ...changes }), assessment, {
      ...NO_CONTEXT,
      ...context,
    });

  it.each<PaymentState>(['requested', 'pending', 'unknown'])(
    'settles a payment that is %s, or causes another read',
    (state) => {
      expect(decided(state, SUCCESS).kind).toBe('succeed');
      expect(decided(state, FAILURE).kind).toBe('fail');
      expect(decided(state, MISMATCH)).toMatchObject({ kind: 'review', cause: 'amount_mismatch' });
      expect(decided(state, EMPTY).kind).toBe('read_again');
    },
  );

  it('of an open status makes a requested payment pending', () => {
    expect(decided('requested', OPEN).kind).toBe('accept');
    expect(decided('unknown', OPEN).kind).toBe('accept');
    expect(decided('pending', OPEN)).toEqual({ kind: 'keep', anomaly: null });
    expect(decided('pending', assessed('Settling', null))).toEqual({
      kind: 'keep',
      anomaly: 'unknown status Settling',
    });
  });

  it('of Success without a transaction sends a payment to review after a second such read', () => {
    expect(decided('pending', EMPTY, { isRead: true }).kind).toBe('read_again');
    expect(decided('pending', EMPTY, { isRead: true }, { emptySuccesses: 1 })).toMatchObject({
      kind: 'review',
      cause: 'no_transaction',
    });
    expect(decided('pending', EMPTY, { isRead: false }, { emptySuccesses: 1 }).kind).toBe(
      'read_again',
    );
    expect(decided('succeeded', EMPTY)).toEqual({ kind: 'keep', anomaly: null });
  });

  it('of a transaction sends a failed payment to review', () => {
    expect(decided('failed', SUCCESS)).toMatchObject({
      kind: 'review',
      cause: 'paid_after_failure',
    });
    expect(decided('failed', MISMATCH)).toMatchObject({
      kind: 'review',
      cause: 'paid_after_failure',
    });
  });

  it('of a failure leaves a succeeded payment unchanged, and is an anomaly', () => {
    expect(decided('succeeded', FAILURE)).toEqual({
      kind: 'keep',
      anomaly: 'failure while succeeded',
    });
    expect(decided('failed', FAILURE)).toEqual({ kind: 'keep', anomaly: null });
  });

  it('of a second transaction contradicts a payment, which keeps the first transaction', () => {
    expect(decided('succeeded', SUCCESS)).toMatchObject({
      kind: 'contradict',
      cause: 'second_transaction',
      reference: 'REF1',
    });
    expect(decided('succeeded', MISMATCH)).toMatchObject({
      kind: 'contradict',
      cause: 'second_transaction',
      transaction: { reference: 'REF1' },
    });
    expect(decided('succeeded', SUCCESS, { tiedTo: 'p' }).kind).toBe('keep');
    expect(decided('succeeded', MISMATCH, { tiedTo: 'p' })).toEqual({
      kind: 'keep',
      anomaly: 'amount_mismatch while succeeded',
    });
  });

  it('of a transaction of another payment sends a payment to review', () => {
    expect(decided('pending', SUCCESS, { tiedTo: 'q' })).toMatchObject({
      kind: 'review',
      cause: 'transaction_of_another_payment',
    });
    expect(decided('pending', SUCCESS, { tiedTo: 'p' }).kind).toBe('succeed');
    expect(
      decided('needs_review', SUCCESS, { tiedTo: 'q' }, { cause: 'amount_mismatch' }),
    ).toMatchObject({ kind: 'contradict', cause: 'transaction_of_another_payment' });
    expect(decided('pending', MISMATCH, { tiedTo: 'q' })).toMatchObject({
      kind: 'review',
      transaction: null,
    });
  });

  it('of a transaction of another payment that does not fit contradicts a settled payment too', () => {
    for (const state of ['succeeded', 'reversed'] as const)
      expect(decided(state, MISMATCH, { tiedTo: 'q' })).toMatchObject({
        kind: 'contradict',
        cause: 'transaction_of_another_payment',
        reference: 'REF1',
        transaction: null,
      });
  });

  it('of a transaction that was reversed before sends a payment to review', () => {
    expect(
      decided('pending', SUCCESS, { reversal: aTransaction({ status: 'Reversed' }) }),
    ).toMatchObject({
      kind: 'review',
      cause: 'reversed',
    });
  });

  it.each<ReviewCause>(['no_evidence', 'no_transaction', 'ambiguous'])(
    'settles a review for the cause %s without a person',
    (cause) => {
      expect(decided('needs_review', SUCCESS, {}, { cause }).kind).toBe('succeed');
      expect(decided('needs_review', FAILURE, {}, { cause }).kind).toBe('fail');
      expect(decided('needs_review', MISMATCH, {}, { cause })).toMatchObject({
        kind: 'review',
        cause: 'amount_mismatch',
      });
    },
  );

  it.each<ReviewCause>([
    'amount_mismatch',
    'paid_after_failure',
    'reversed',
    'success_with_errors',
  ])('does not settle a review for the cause %s, which a person must decide', (cause) => {
    const note = expect.stringContaining('complete and without a contradiction');
    expect(decided('needs_review', SUCCESS, { tiedTo: 'p' }, { cause })).toEqual({
      kind: 'change',
      change: { set: {}, note },
    });
    expect(decided('needs_review', FAILURE, {}, { cause }).kind).toBe('keep');
  });

  it('of another transaction, or of another contradiction, contradicts a payment in review again', () => {
    const cause = 'amount_mismatch';
    expect(decided('needs_review', SUCCESS, {}, { cause })).toMatchObject({
      kind: 'contradict',
      cause: 'second_transaction',
    });
    expect(decided('needs_review', MISMATCH, {}, { cause })).toMatchObject({
      kind: 'contradict',
      cause: 'amount_mismatch',
      reference: 'REF1',
    });
  });

  it('of a payment that was never sent changes nothing, and is an anomaly', () => {
    for (const assessment of [SUCCESS, FAILURE, MISMATCH, EMPTY, OPEN])
      expect(decided('created', assessment)).toEqual({
        kind: 'keep',
        anomaly: 'evidence before sending',
      });
  });

  it('says in words what a person must decide', () => {
    expect(decided('failed', SUCCESS)).toMatchObject({
      detail: 'the platform shows transaction REF1 after it said that the payment failed',
      reference: 'REF1',
      transaction: TRANSACTION,
    });
    expect(
      decided('pending', SUCCESS, { reversal: aTransaction({ status: 'Reversed' }) }),
    ).toMatchObject({
      detail: 'transaction REF1 was reversed',
      reference: 'REF1',
      transaction: TRANSACTION,
    });
    expect(decided('pending', EMPTY, { isRead: true }, { emptySuccesses: 1 })).toEqual({
      kind: 'review',
      cause: 'no_transaction',
      detail: 'the platform says Success and shows no transaction, also when read again',
      transaction: null,
      reference: null,
    });
    expect(decided('succeeded', SUCCESS)).toMatchObject({
      detail: 'a second transaction, REF1, was seen for this payment',
    });
    expect(decided('pending', SUCCESS, { tiedTo: 'q' })).toMatchObject({
      detail: 'transaction REF1 already belongs to payment q',
      transaction: null,
    });
  });

  it('that no person has judged is evidence of money after a failure, unless the money is that of another operation', () => {
    for (const decision of [{ decided: true }, {}])
      for (const assessment of [SUCCESS, MISMATCH])
        for (const context of [{ tiedTo: 'p' }, {}])
          expect(decided('failed', assessment, context, decision).kind).toBe('review');
    expect(decided('failed', SUCCESS, { tiedTo: 'q' }, { decided: true }).kind).toBe('keep');
    expect(decided('failed', MISMATCH, { tiedTo: 'q' }, { decided: true }).kind).toBe('keep');
  });

  it('of a transaction that a person has decided for settles a review that proof may settle', () => {
    const changes = { decided: true, cause: 'no_evidence' } as const;
    expect(decided('needs_review', SUCCESS, { tiedTo: 'p' }, changes).kind).toBe('succeed');
    expect(decided('pending', MISMATCH, { tiedTo: 'p' }, { decided: true }).kind).toBe('review');
  });

  it('that does not fit names its own transaction in the review', () => {
    for (const tiedTo of [null, 'p'])
      expect(decided('pending', MISMATCH, { tiedTo })).toMatchObject({
        transaction: { reference: 'REF1' },
      });
  });

  describe('of a payment in review', () => {
    const contradiction = (cause: ReviewCause, transaction: Transaction | null): Assessment => ({
      kind: 'contradiction',
      cause,
      detail: 'in words',
      transaction,
    });
    const inReview = (
      assessment: Assessment,
      cause: ReviewCause,
      tiedTo: string | null = null,
    ): string => decided('needs_review', assessment, { tiedTo }, { cause }).kind;

    it('changes nothing when the transaction of the payment was reversed', () => {
      const reversal = contradiction('reversed', TRANSACTION);
      expect(inReview(reversal, 'amount_mismatch', 'p')).toBe('keep');
      expect(inReview(reversal, 'amount_mismatch')).toBe('contradict');
      expect(inReview(contradiction('amount_mismatch', TRANSACTION), 'reversed', 'p')).toBe(
        'contradict',
      );
    });

    it('changes nothing when it repeats the cause without a transaction', () => {
      const cause = 'success_with_errors';
      expect(inReview(contradiction(cause, null), cause)).toBe('keep');
      expect(inReview(contradiction(cause, TRANSACTION), cause)).toBe('contradict');
      expect(inReview(contradiction(cause, null), 'amount_mismatch')).toBe('contradict');
    });
  });
});
