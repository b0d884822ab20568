import { ANOMALY } from '../store/anomaly-kinds.js';
import type { Decision } from './assessment.js';
import type { Operation, OperationState } from '../store/operation.js';
import type { ReviewCause } from '../store/review-cause.js';
import { OVERDUE_WORK } from '../work/backoff.js';
import { isDecidable } from './operation-states.js';
import { reviewDetail } from './review-detail.js';

/** What evidence without a final outcome sets: it shows that the platform has the operation. An operation in review stays there. */
export function accepted({ state }: Operation): { state?: 'pending' } {
  return state === 'requested' || state === 'unknown' ? { state: 'pending' } : {};
}

/** Final states in which a contradiction about money that we sent goes to review. */
const REOPENED: readonly OperationState[] = ['failed', 'partially_succeeded'];

/**
 * Decides on a contradiction about money that we sent. The person who reviews it sees the outcome that is known. What succeeded stays
 * so: a failure after it is an anomaly, and anything else, such as a second transfer, emits the review event as well.
 * @param outcome what the evidence adds to the known outcome; undefined: nothing
 */
export function reviewSent(
  operation: Operation,
  outcome: unknown,
  cause: ReviewCause,
  text: string,
): Decision {
  const detail = reviewDetail(operation, text);
  const { state } = operation;
  const learnt = outcome === undefined ? {} : { outcome };
  if (isDecidable(operation) || REOPENED.includes(state)) {
    const set = { state: 'needs_review', cause, causeDetail: detail, ...learnt } as const;
    const change = { set, dueInMs: null, note: detail, review: { cause, detail, reference: null } };
    return { kind: 'change', change };
  }
  const isLateFailure = cause === 'failed_with_transaction';
  if (state === 'needs_review' || (state === 'succeeded' && !isLateFailure)) {
    const more = state === 'needs_review' ? learnt : {};
    return { kind: 'contradict', cause, detail, transaction: null, reference: null, ...more };
  }
  return { kind: 'keep', anomaly: ANOMALY.doubtWhile(cause, state) };
}

/** Why a transfer that already belongs to another operation, or to another destination, needs a person. */
export function transferOfOther(
  reference: string,
  owner: string,
): { cause: ReviewCause; detail: string } {
  const detail = `transfer ${reference} already belongs to operation ${owner}`;
  return { cause: 'transaction_of_another_payment', detail };
}

/** Whether a failure was first reported so long before a read that this read confirms it. */
export function failureStands(
  first: { state: string; failedAt?: number } | null | undefined,
  at: number | null,
): boolean {
  const { failedAt } = first?.state === 'failed' ? first : {};
  return (
    failedAt !== undefined && at !== null && at - failedAt >= OVERDUE_WORK.failureStandsAfterMs
  );
}
