import { FOLLOW_UP_WORK, OVERDUE_WORK } from '../work/backoff.js';
import type { Decision } from './assessment.js';
import { fail, succeed, type OperationChange } from './operation-changes.js';
import type { Operation, Via } from '../store/operation.js';
import { reviewDetail } from './review-detail.js';
import { isSelfSettling } from './operation-states.js';

/** Longest text of causes: repeated contradictions must not grow a row without limit. */
const LONGEST_DETAIL = 2_000;
const BETWEEN_DETAILS = '\n';

/**
 * The change of a decision; null when it changes nothing. `firstReadMs` is the time until the first read of an accepted
 * operation.
 */
export function changeOf(
  operation: Operation,
  via: Via,
  decision: Decision,
  firstReadMs: number,
): OperationChange | null {
  switch (decision.kind) {
    case 'keep':
      return null;
    case 'succeed':
      return succeed(via, decision.transaction);
    case 'fail':
      return fail(operation, via, decision.reason, decision.errors);
    case 'review': {
      const { cause, transaction } = decision;
      const detail = reviewDetail(operation, decision.detail);
      return {
        via,
        set: {
          state: 'needs_review',
          cause,
          causeDetail: detail,
          ...(transaction && { transaction }),
        },
        // Without an id it cannot be read: sweeps match it.
        dueInMs:
          isSelfSettling(cause) && operation.platformId !== null ? FOLLOW_UP_WORK.hourlyMs : null,
        note: detail,
        ...(transaction && { tie: transaction }),
        review: operation.redacted ? { ...decision, detail } : decision,
      };
    }
    case 'contradict':
      return contradict(operation, via, decision);
    case 'read_again':
      return {
        via,
        set: { emptySuccesses: operation.emptySuccesses + 1 },
        dueInMs: OVERDUE_WORK.readAgainMs,
      };
    case 'accept':
      return { via, set: { state: 'pending' }, dueInMs: firstReadMs };
    case 'change':
      return { via, ...decision.change };
  }
}

function contradict(
  operation: Operation,
  via: Via,
  decision: Decision & { kind: 'contradict' },
): OperationChange | null {
  const { cause, transaction, outcome } = decision;
  const learnt = outcome === undefined ? null : { outcome };
  const detail = reviewDetail(operation, decision.detail);
  const details = operation.causeDetail?.split(BETWEEN_DETAILS) ?? [];
  if (details.includes(detail)) return learnt && { via, set: learnt };
  const all = [...details, detail].join(BETWEEN_DETAILS);
  // When the detail does not fit, the event is emitted and the transaction is tied anyway.
  const fits = all.length <= LONGEST_DETAIL;
  return {
    via,
    set: { ...(fits && { cause: operation.cause ?? cause, causeDetail: all }), ...learnt },
    ...(fits && { note: detail }),
    ...(transaction && { tie: transaction }),
    review: operation.redacted ? { ...decision, detail } : decision,
  };
}
