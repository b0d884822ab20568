import { describe, expect, it } from '@jest/globals';
import { aPayoutRecord } from '../testing/payouts.fixture.js';
import type { Operation, OperationState, ReviewCause } from '../store/operation.js';
import { TRANSITIONS } from './operation-states.js';
import { accepted, reviewSent } from './decisions.js';

const anOperation = (state: OperationState, cause: ReviewCause | null = null): Operation =>
  ({ ...aPayoutRecord(), state, cause }) as Operation;

const STATES = Object.keys(TRANSITIONS) as OperationState[];

const reviewed = (state: OperationState, outcome?: unknown, cause?: ReviewCause) =>
  reviewSent(
    anOperation(state, state === 'needs_review' ? 'amount_mismatch' : null),
    outcome,
    cause ?? 'amount_mismatch',
    'another\n amount',
  );

const DETAIL = 'another amount';

describe('Evidence without a final outcome', () => {
  it.each(STATES)('of an operation that is %s sets what it proves', (state) => {
    const isProof = state === 'requested' || state === 'unknown';
    expect(accepted(anOperation(state))).toEqual(isProof ? { state: 'pending' } : {});
  });
});

describe('A contradiction about money that we sent', () => {
  it.each(['requested', 'pending', 'unknown', 'failed', 'partially_succeeded'] as const)(
    'sends an operation that is %s to review, with what it says of the outcome',
    (state) => {
      const set = { state: 'needs_review', cause: 'amount_mismatch', causeDetail: DETAIL };
      const review = { cause: 'amount_mismatch', detail: DETAIL, reference: null };
      const change = { set, dueInMs: null, note: DETAIL, review };
      expect(reviewed(state)).toEqual({ kind: 'change', change });
      expect(reviewed(state, ['paid'])).toEqual({
        kind: 'change',
        change: { ...change, set: { ...set, outcome: ['paid'] } },
      });
    },
  );

  it('replaces a cause of a review that proof would settle', () => {
    const operation = anOperation('needs_review', 'no_evidence');
    const decision = reviewSent(operation, undefined, 'amount_mismatch', DETAIL);
    expect(decision).toMatchObject({ kind: 'change', change: { set: { state: 'needs_review' } } });
  });

  it('contradicts a review, with what it says of the outcome', () => {
    const decision = { kind: 'contradict', cause: 'amount_mismatch', detail: DETAIL };
    const rest = { transaction: null, reference: null };
    expect(reviewed('needs_review')).toEqual({ ...decision, ...rest });
    expect(reviewed('needs_review', ['paid'])).toEqual({
      ...decision,
      ...rest,
      outcome: ['paid'],
    });
  });

  it('contradicts a success, whose outcome stays', () => {
    expect(reviewed('succeeded', ['paid'])).toEqual({
      kind: 'contradict',
      cause: 'amount_mismatch',
      detail: DETAIL,
      transaction: null,
      reference: null,
    });
  });

  it('that is a late failure changes nothing of a success, and is an anomaly', () => {
    expect(reviewed('succeeded', undefined, 'failed_with_transaction')).toEqual({
      kind: 'keep',
      anomaly: 'failed_with_transaction while succeeded',
    });
    expect(reviewed('needs_review', undefined, 'failed_with_transaction').kind).toBe('contradict');
  });

  it.each(['created', 'reversed'] as const)(
    'changes nothing of an operation that is %s, and is an anomaly',
    (state) => {
      expect(reviewed(state)).toEqual({ kind: 'keep', anomaly: `amount_mismatch while ${state}` });
    },
  );
});
