import { ANOMALY } from '../../store/anomaly-kinds.js';
import type { Decision, DecisionContext } from '../../ledger/assessment.js';
import { fail, SETTLED } from '../../ledger/operation-changes.js';
import type { ReviewCause } from '../../store/review-cause.js';
import { isDecidable } from '../../ledger/operation-states.js';
import {
  accepted,
  failureStands,
  reviewSent,
  transferOfOther,
} from '../../ledger/sent-money-decision.js';
import type { Reversal } from '../../platform/resources/reversals/reversal.resource.js';
import { OVERDUE_WORK } from '../../work/backoff.js';
import { isSameAmount } from '../../money/money.js';
import type { RefundOutcome, RefundRecord } from './refund.js';

const KEEP: Decision = { kind: 'keep', anomaly: null };

/** Known statuses that are not final. */
const UNFINISHED = new Set(['Pending', 'Received', 'Scheduled', 'Processing', 'Processed']);

/** What the platform says about a refund. */
export type RefundAssessment =
  | { kind: 'paid'; reference: string | null }
  | { kind: 'failed'; errors: readonly string[] }
  | { kind: 'contradiction'; cause: ReviewCause; detail: string }
  | { kind: 'open'; unknownStatus: string | null };

/** Assesses the reversal that a callback or a status read shows. */
export function assessRefund(refund: RefundRecord, reversal: Reversal): RefundAssessment {
  const { status, reversalBulkPayment: transfer, transactionReference, errors } = reversal;
  if (transactionReference !== null && transactionReference.trim() !== refund.reference) {
    const detail = `the platform shows a reversal of transaction ${transactionReference}, not of ${refund.reference}`;
    return { kind: 'contradiction', cause: 'second_transaction', detail };
  }
  if (transfer?.status === 'Transferred') {
    const { currency, value } = refund.amount;
    if (errors.length > 0) {
      const detail = `the platform says Transferred and names errors: ${errors.join(' ')}`;
      return { kind: 'contradiction', cause: 'success_with_errors', detail };
    }
    if (transfer.amount === null && (transfer.raw['amount'] ?? null) !== null) {
      const detail = `asked to refund ${value} ${currency}, and the amount that went back cannot be read`;
      return { kind: 'contradiction', cause: 'unreadable_amount', detail };
    }
    if (
      transfer.amount !== null &&
      !isSameAmount(refund.amount, { currency, value: transfer.amount })
    ) {
      const detail = `asked to refund ${value} ${currency}, and ${transfer.amount} went back`;
      return { kind: 'contradiction', cause: 'amount_mismatch', detail };
    }
    return { kind: 'paid', reference: transfer.transactionReference };
  }
  if (transfer?.status === 'Cancelled' || errors.length > 0) return { kind: 'failed', errors };
  const unknown = [status, transfer?.status ?? null].find(
    (word) => word !== null && !UNFINISHED.has(word),
  );
  return { kind: 'open', unknownStatus: unknown ?? null };
}

/**
 * Decides what an assessment changes in the present state of a refund. The order of evidence does not change the final state.
 * @see docs/promises.md#money-out
 */
export function decideRefund(
  refund: RefundRecord,
  assessment: RefundAssessment,
  { isOwnRead, at, reasonOf, transfersOfOthers }: DecisionContext,
): Decision {
  const { state } = refund;
  if (state === 'created') return { kind: 'keep', anomaly: ANOMALY.evidenceBeforeSending };
  const seen = refund.outcome?.state ?? 'open';
  switch (assessment.kind) {
    case 'open':
      if (assessment.unknownStatus !== null)
        return { kind: 'keep', anomaly: ANOMALY.unknownStatus(assessment.unknownStatus) };
      return accepted(refund).state ? { kind: 'accept' } : KEEP;
    case 'contradiction':
      return reviewSent(refund, undefined, assessment.cause, assessment.detail);
    case 'paid': {
      const [other] = transfersOfOthers;
      if (other) {
        const { cause, detail } = transferOfOther(...other);
        return reviewSent(refund, undefined, cause, detail);
      }
      if (seen === 'failed' || state === 'failed') {
        const detail = 'the platform says that the money went back, after it said that it did not';
        const { reference } = assessment;
        const isKnown = seen === 'failed' && reference === refund.outcome?.reference;
        const outcome: RefundOutcome = { state: 'failed', reference };
        return reviewSent(refund, isKnown ? undefined : outcome, 'paid_after_failure', detail);
      }
      const outcome: RefundOutcome = { state: 'paid', reference: assessment.reference };
      // What can be read now contradicts nothing.
      const isSettling = isDecidable(refund) || refund.cause === 'unreadable_amount';
      // Whoever decides must see what the platform has shown meanwhile.
      if (state === 'needs_review' && !isSettling && seen === 'open')
        return { kind: 'change', change: { set: { outcome } } };
      if (!isSettling) return KEEP;
      const set = { ...SETTLED, state: 'succeeded', outcome } as const;
      return { kind: 'change', change: { set, dueInMs: null } };
    }
    case 'failed': {
      if (seen === 'paid') return { kind: 'keep', anomaly: ANOMALY.failureWhile(state) };
      if (!isDecidable(refund)) return KEEP;
      const failedAt = (seen === 'failed' ? refund.outcome?.failedAt : undefined) ?? at;
      const outcome: RefundOutcome = {
        state: 'failed',
        reference: null,
        ...(failedAt !== null && { failedAt }),
      };
      // The platform must say again, when it is asked minutes later, that the money did not go back.
      if (!isOwnRead || !failureStands(refund.outcome, at)) {
        // The next read is scheduled already.
        if (seen === 'failed' && refund.outcome?.failedAt === outcome.failedAt) return KEEP;
        const set = { ...accepted(refund), outcome };
        return { kind: 'change', change: { set, dueInMs: OVERDUE_WORK.readFailureMs } };
      }
      const { errors } = assessment;
      const { set, dueInMs = null } = fail(refund, 'status', reasonOf(errors), errors);
      return { kind: 'change', change: { set: { ...set, outcome }, dueInMs } };
    }
  }
}
