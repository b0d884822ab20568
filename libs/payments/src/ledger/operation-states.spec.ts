import { describe, expect, it } from '@jest/globals';
import {
  FOLLOWED_STATES,
  GUARDED_STATES,
  isDecidable,
  isOpen,
  isSelfSettling,
  isSettled,
  mayChange,
  mayOwnMoney,
  SETTLED_STATES,
} from './operation-states.js';
import type { OperationState, ReviewCause } from '../store/operation.js';

/** The diagram of docs/promises.md, as it is meant: from the first state to any of the others, and to nothing else. */
const ALLOWED: Readonly<Record<OperationState, string>> = {
  created: 'requested failed',
  requested: 'pending unknown needs_review failed succeeded partially_succeeded',
  pending: 'needs_review failed succeeded partially_succeeded',
  unknown: 'pending needs_review failed succeeded partially_succeeded',
  needs_review: 'failed succeeded partially_succeeded reversed',
  failed: 'needs_review',
  succeeded: 'reversed',
  partially_succeeded: 'needs_review',
  reversed: '',
};

const STATES = Object.keys(ALLOWED) as OperationState[];

const where = (holds: (state: OperationState) => boolean): string =>
  STATES.filter((state) => holds(state)).join(' ');

const CAUSES: readonly ReviewCause[] = [
  'no_evidence',
  'no_transaction',
  'ambiguous',
  'amount_mismatch',
  'paid_after_failure',
  'reversed',
];

describe('The state of an operation', () => {
  it.each(STATES)('that is %s changes to the states of the diagram only', (from) => {
    expect(where((to) => mayChange(from, to))).toBe(ALLOWED[from]);
  });

  it('is open after it was sent and until it settles', () => {
    expect(where(isOpen)).toBe('requested pending unknown');
  });

  it('is settled when nobody has to wait any more', () => {
    const settled = 'needs_review failed succeeded partially_succeeded reversed';
    expect(where(isSettled)).toBe(settled);
    expect(SETTLED_STATES.toSorted()).toEqual(settled.split(' ').toSorted());
  });

  it('is followed while proof of money may still come', () => {
    expect([...FOLLOWED_STATES].toSorted()).toEqual([
      'failed',
      'needs_review',
      'partially_succeeded',
    ]);
  });

  it('guards against the same money under another key while money may be on its way', () => {
    expect([...GUARDED_STATES].toSorted()).toEqual([
      'created',
      'needs_review',
      'pending',
      'requested',
      'unknown',
    ]);
  });

  it('lets the operation own money while it is open or followed, and was sent', () => {
    const owns = (sentAt: Date | null): string => where((state) => mayOwnMoney({ state, sentAt }));
    expect(owns(new Date())).toBe(
      'requested pending unknown needs_review failed partially_succeeded',
    );
    expect(owns(null)).toBe('');
  });

  it('can be decided by proof while it is open, or in review for a cause that proof settles', () => {
    expect(where((state) => isDecidable({ state, cause: null }))).toBe('requested pending unknown');
    const settling = CAUSES.filter((cause) => isDecidable({ state: 'needs_review', cause }));
    expect(settling).toEqual(['no_evidence', 'no_transaction', 'ambiguous']);
    expect(CAUSES.filter(isSelfSettling)).toEqual(settling);
  });
});
