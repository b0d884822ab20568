import type { Operation, OperationState, ReviewCause } from '../store/operation.js';

/** All allowed state transitions. The ledger throws on any other. */
export const TRANSITIONS: Readonly<Record<OperationState, readonly OperationState[]>> = {
  created: ['requested', 'failed'],
  requested: ['pending', 'unknown', 'failed', 'succeeded', 'partially_succeeded', 'needs_review'],
  pending: ['succeeded', 'partially_succeeded', 'failed', 'needs_review'],
  unknown: ['pending', 'succeeded', 'partially_succeeded', 'failed', 'needs_review'],
  succeeded: ['reversed'],
  partially_succeeded: ['needs_review'],
  failed: ['needs_review'],
  needs_review: ['succeeded', 'partially_succeeded', 'failed', 'reversed'],
  reversed: [],
};

/** States of operations that were sent and have not settled. */
export const OPEN_STATES: readonly OperationState[] = ['requested', 'pending', 'unknown'];

/** States that `settled()` waits for. */
export const SETTLED_STATES: readonly OperationState[] = [
  'succeeded',
  'partially_succeeded',
  'failed',
  'reversed',
  'needs_review',
];

/** Settled states in which proof of money may still come: such operations are read again on a slower schedule. */
export const FOLLOWED_STATES: readonly OperationState[] = [
  'needs_review',
  'failed',
  'partially_succeeded',
];

/** True when a transaction may belong to an operation: it was sent, and it is open, failed or in review. */
export function mayOwnMoney({
  state,
  sentAt,
}: {
  state: OperationState;
  sentAt: Date | null;
}): boolean {
  return sentAt !== null && (isOpen(state) || FOLLOWED_STATES.includes(state));
}

/** States without an outcome: money may move, or may have moved. In them the same money is not asked for or sent under another key. */
export const GUARDED_STATES: readonly OperationState[] = [
  'created',
  'requested',
  'pending',
  'unknown',
  'needs_review',
];

/** States of money that moved, in full or in part, and has not gone back. */
export const PAID_STATES: readonly OperationState[] = ['succeeded', 'partially_succeeded'];

/** Review causes that full proof settles without a person. All others wait for a person. */
const SELF_SETTLING: readonly (ReviewCause | null)[] = [
  'no_evidence',
  'no_transaction',
  'ambiguous',
];

export function mayChange(from: OperationState, to: OperationState): boolean {
  return TRANSITIONS[from].includes(to);
}

export function isOpen(state: OperationState): boolean {
  return OPEN_STATES.includes(state);
}

export function isSettled(state: OperationState): boolean {
  return SETTLED_STATES.includes(state);
}

/** True when an operation has an outcome. It may still change: a success may be reversed, and money may arrive after a failure. */
export function isFinal(state: OperationState): boolean {
  return isSettled(state) && state !== 'needs_review';
}

/** Returns the milliseconds since the time in which an operation may be sent began: one that waited for approval was recorded long before. */
export function sentForMs(
  { ageMs, sendWithinMs }: Pick<Operation, 'ageMs' | 'sendWithinMs'>,
  sendBeforeMs: number,
): number {
  return Math.min(ageMs, sendBeforeMs - sendWithinMs);
}

/** True when full proof settles a review with this cause without a person. */
export function isSelfSettling(cause: ReviewCause | null): boolean {
  return SELF_SETTLING.includes(cause);
}

/** True when an operation waits for a person's decision: it is in review, or was paid and evidence contradicts that. */
export function isInReview({ state, cause }: Pick<Operation, 'state' | 'cause'>): boolean {
  return state === 'needs_review' || (cause !== null && PAID_STATES.includes(state));
}

/** True when new proof may settle the operation without a person. */
export function isDecidable({
  state,
  cause,
}: {
  state: OperationState;
  cause: ReviewCause | null;
}): boolean {
  return state === 'needs_review' ? isSelfSettling(cause) : isOpen(state);
}
