import type { Decision, DecisionContext } from '../../ledger/assessment.js';
import {
  accepted,
  failureStands,
  READ_FAILURE_MS,
  reviewSent,
  transferOfOther,
} from '../../ledger/decisions.js';
import {
  fail,
  type OperationChange,
  READ_FAILED_MS,
  SETTLED,
} from '../../ledger/operation-changes.js';
import { isDecidable } from '../../ledger/operation-states.js';
import { assertOpen, closed, decisionNote, notResolvable } from '../../ledger/resolution.js';
import type { SendMoney } from '../../platform/resources/send-money.service.js';
import { ANOMALY } from '../../store/anomalies.store.js';
import type { ReviewCause } from '../../store/operation.js';
import { identityOf, type PayoutResults } from './payout-results.js';
import {
  type DestinationOutcome,
  outcomesOf,
  type PayoutRecord,
  wholeRecipients,
} from './payout.js';

const KEEP: Decision = { kind: 'keep', anomaly: null };

/** The platform's evidence about a payout. */
export interface PayoutAssessment extends PayoutResults {
  /** Messages for the whole request. */
  errors: SendMoney['errors'];
}

/**
 * Decides what results change in the present state of a payout. What was known stays known, so the order of evidence does not change
 * the final state.
 * @see docs/promises.md#money-out
 */
export function decidePayout(
  payout: PayoutRecord,
  shown: PayoutAssessment,
  { isOwnRead, at, reasonOf, transfersOfOthers }: DecisionContext,
): Decision {
  const { state } = payout;
  if (state === 'created') return { kind: 'keep', anomaly: ANOMALY.evidenceBeforeSending };
  // Retention has redacted the recipients, so the results cannot be compared with them.
  if (wholeRecipients(payout).length === 0)
    return state === 'succeeded' ? KEEP : { kind: 'keep', anomaly: ANOMALY.afterRedaction };
  const before = outcomesOf(payout);
  // A transfer of another operation, or of another destination, pays nobody here.
  const isOfOther = (reference: string | null, index: number): boolean =>
    reference !== null &&
    (transfersOfOthers.has(reference) ||
      before.some((earlier, at) => at !== index && earlier.transactionReference === reference));
  const outcomes = shown.outcomes.map((each, index) =>
    isOfOther(each.transactionReference, index) ? (before[index] ?? each) : each,
  );
  const [other] = transfersOfOthers;
  const repeated = shown.outcomes.find(({ transactionReference }, index) =>
    isOfOther(transactionReference, index),
  )?.transactionReference;
  const assessment = { ...shown, outcomes };
  const merge = state === 'needs_review' ? added : merged;
  const standing = withoutDoubtfulFailures(payout, before, outcomes);
  const after = standing.map((earlier, index) =>
    datedFailure(earlier, merge(earlier, outcomes[index] ?? earlier), at),
  );
  const doubt =
    other !== undefined
      ? transferOfOther(...other)
      : repeated != null
        ? transferOfOther(repeated, payout.id)
        : doubtIn(payout, assessment, before);
  const marked = doubt ? after.map((each, index) => doubtful(each, index, doubt)) : after;
  const learnt = isSame(before, marked) ? undefined : marked;
  if (doubt) return reviewSent(payout, learnt, doubt.cause, doubt.detail);
  if (!isDecidable(payout)) {
    // The person who decides must see what the platform has shown meanwhile.
    const isForReview = state === 'needs_review' && learnt !== undefined;
    return isForReview ? { kind: 'change', change: { set: { outcome: learnt } } } : KEEP;
  }
  const isFinal = after.every((outcome) => outcome.state !== 'open');
  if (!isFinal) return progress(payout, after, assessment);
  const failed = after.filter((outcome) => outcome.state === 'failed');
  if (failed.length === 0) {
    return {
      kind: 'change',
      change: { set: { ...SETTLED, state: 'succeeded', outcome: after }, dueInMs: null },
    };
  }
  // The platform must say again, when it is asked minutes later, that it did not pay.
  const isConfirmed =
    isOwnRead &&
    after.every(
      ({ state: now }, index) =>
        now !== 'failed' ||
        (failureStands(standing[index], at) && assessment.outcomes[index]?.state === 'failed'),
    );
  if (!isConfirmed) {
    // The next read is scheduled already.
    if (isSame(before, after)) return KEEP;
    const set = { ...accepted(payout), outcome: after };
    return { kind: 'change', change: { set, dueInMs: READ_FAILURE_MS } };
  }
  const errors = [...assessment.errors, ...failed.flatMap((outcome) => outcome.errors)];
  if (failed.length === after.length) {
    const { set, dueInMs } = fail(payout, 'status', reasonOf(errors), errors);
    return {
      kind: 'change',
      change: { set: { ...set, outcome: after }, dueInMs: dueInMs ?? null },
    };
  }
  const set = { ...SETTLED, state: 'partially_succeeded', outcome: after, errors } as const;
  return { kind: 'change', change: { set, dueInMs: READ_FAILED_MS } };
}

/** Some destination is not final. */
function progress(
  payout: PayoutRecord,
  after: readonly DestinationOutcome[],
  { unknownStatuses: [unknown] }: PayoutAssessment,
): Decision {
  if (isSame(outcomesOf(payout), after)) {
    if (unknown !== undefined) return { kind: 'keep', anomaly: ANOMALY.unknownStatus(unknown) };
    return accepted(payout).state ? { kind: 'accept' } : KEEP;
  }
  return { kind: 'change', change: { set: { ...accepted(payout), outcome: after } } };
}

/**
 * When one more of several equal destinations is paid now, nobody can tell whether it is the one that had failed. So we drop the earlier
 * failures of these destinations, and a failure among them counts from now on.
 */
function withoutDoubtfulFailures(
  payout: PayoutRecord,
  before: readonly DestinationOutcome[],
  shown: readonly DestinationOutcome[],
): readonly DestinationOutcome[] {
  const names = wholeRecipients(payout).map((recipient) =>
    identityOf(recipient, payout.amount.currency),
  );
  const newlyPaid = new Set(
    names.filter((_, index) => before[index]?.state !== 'paid' && shown[index]?.state === 'paid'),
  );
  return before.map((earlier, index) =>
    earlier.state === 'failed' && newlyPaid.has(names[index] as string)
      ? { ...earlier, state: 'open' }
      : earlier,
  );
}

/** Returns a failure with the time of its first report. */
function datedFailure(
  earlier: DestinationOutcome,
  { failedAt: _, ...now }: DestinationOutcome,
  at: number | null,
): DestinationOutcome {
  const failedAt = (earlier.state === 'failed' ? earlier.failedAt : undefined) ?? at ?? undefined;
  return now.state === 'failed' && failedAt !== undefined ? { ...now, failedAt } : now;
}

/** Adds new evidence to the outcome of a destination. Evidence that is still open changes nothing, and neither does a failure of what was paid. */
function merged(earlier: DestinationOutcome, shown: DestinationOutcome): DestinationOutcome {
  if (shown.state === 'open' || (earlier.state === 'paid' && shown.state === 'failed'))
    return earlier;
  const transactionReference = shown.transactionReference ?? earlier.transactionReference;
  return { ...earlier, ...shown, transactionReference };
}

/** Adds new evidence to the outcome of a destination while the payout is in review. The first transfer stays. */
function added(earlier: DestinationOutcome, shown: DestinationOutcome): DestinationOutcome {
  if (earlier.state !== 'paid') return merged(earlier, shown);
  return {
    ...earlier,
    transactionReference: earlier.transactionReference ?? shown.transactionReference,
  };
}

interface Doubt {
  cause: ReviewCause;
  detail: string;
  /** The indexes of the destinations of which the platform has said two things; null: of all. Absent: of none. */
  of?: readonly number[] | null;
}

/** Marks the outcome of a destination when the platform contradicts it. */
function doubtful(outcome: DestinationOutcome, index: number, { of }: Doubt): DestinationOutcome {
  return of === null || of?.includes(index) ? { ...outcome, isContradicted: true } : outcome;
}

/** @returns the reason for which a person must decide on the results; null when nobody must */
function doubtIn(
  { state: now, decided }: PayoutRecord,
  { contradiction, isUnmatched, outcomes }: PayoutAssessment,
  before: readonly DestinationOutcome[],
): Doubt | null {
  if (contradiction) {
    const faulty = outcomes.flatMap(({ state, errors }, index) =>
      state === 'paid' && errors.length > 0 ? [index] : [],
    );
    const of = faulty.length > 0 ? faulty : null;
    return { cause: 'success_with_errors', detail: contradiction, of };
  }
  const changed = (from: DestinationOutcome['state'], to: DestinationOutcome['state']): number =>
    before.findIndex(({ state }, index) => state === from && outcomes[index]?.state === to);
  // A create that was refused has no results, so its destinations are open.
  const paidLater =
    now === 'failed'
      ? outcomes.findIndex(({ state }) => state === 'paid')
      : changed('failed', 'paid');
  if (paidLater >= 0) {
    const detail = `the platform says that destination ${paidLater + 1} was paid, after it said that it was not`;
    // The platform does not contradict itself when it differs from a person's decision.
    return { cause: 'paid_after_failure', detail, of: decided ? [] : [paidLater] };
  }
  const failedLater = changed('paid', 'failed');
  if (failedLater >= 0) {
    const detail = `the platform says that destination ${failedLater + 1} was not paid, after it said that it was`;
    return { cause: 'failed_with_transaction', detail, of: [failedLater] };
  }
  const paidTwice = outcomes.findIndex(
    ({ transactionReference: reference }, index) =>
      reference !== null && (before[index]?.transactionReference ?? reference) !== reference,
  );
  if (paidTwice >= 0) {
    const detail = `the platform shows a second transfer to destination ${paidTwice + 1}, ${outcomes[paidTwice]?.transactionReference}`;
    return { cause: 'second_transaction', detail };
  }
  if (!isUnmatched) return null;
  const detail =
    'the platform shows results that cannot be distinguished, or that fit no destination';
  return { cause: 'unmatched_results', detail };
}

function isSame(one: readonly DestinationOutcome[], other: readonly DestinationOutcome[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * A person's decision on a payout in review.
 * @example
 * await payouts.resolve(id, { state: 'succeeded', by: 'jane@shop.example', note: 'the statement shows the transfer' });
 * @see docs/promises.md#money-out
 * @publicApi
 */
export type PayoutResolution = {
  /** Name of the person who decided, for the history. */
  by: string;
  /** Reason of the decision, for the history. */
  note: string;
} & (
  | { /** Every destination was paid. */ state: 'succeeded' }
  | { /** No destination was paid. */ state: 'failed' }
  | {
      /** Some destinations were paid, and the others were not. */
      state: 'partially_succeeded';
      /** Indexes in `destinations` of those that were paid: some, and not all. */
      paid: readonly number[];
    }
);

/**
 * Returns the change of a person's decision.
 * @throws OperationNotResolvableError when no decision on the payout is open, or the decision does not fit its destinations
 */
export function payoutResolutionChange(
  payout: PayoutRecord,
  resolution: PayoutResolution,
): OperationChange {
  const { state } = resolution;
  assertOpen(payout, state);
  const paid = new Set(paidIn(payout, resolution));
  const denied = outcomesOf(payout).findIndex(
    (shown, index) => shown.state === 'paid' && !shown.isContradicted && !paid.has(index),
  );
  // A person cannot deny a transfer that the platform has shown and nothing contradicts: to pay that destination again would lose the
  // money.
  if (denied >= 0) {
    const reference = outcomesOf(payout)[denied]?.transactionReference;
    throw notResolvable(
      payout,
      `the platform has reported that destination ${denied + 1} was paid${reference ? ` by transfer ${reference}` : ''}: say so, with state: 'partially_succeeded' or 'succeeded'`,
    );
  }
  const outcome = outcomesOf(payout).map((earlier, index) => {
    const now = paid.has(index) ? ('paid' as const) : ('failed' as const);
    return earlier.state === now ? earlier : { ...earlier, state: now };
  });
  if (payout.state === state) {
    const change = closed(payout, resolution);
    return { ...change, set: { ...change.set, outcome } };
  }
  // A destination that was not paid may be paid later, and no list shows payouts, so we read the payout again.
  const dueInMs = state === 'succeeded' ? null : READ_FAILED_MS;
  const { reason, errors } = payout;
  const change: OperationChange =
    state === 'failed'
      ? fail(payout, 'review', reason ?? 'unknown', errors)
      : {
          via: 'review',
          set: { state, cause: null, causeDetail: null },
          dueInMs,
        };
  return {
    ...change,
    set: { ...change.set, outcome, decided: true },
    note: decisionNote(`resolved as ${state}`, resolution),
  };
}

function paidIn(payout: PayoutRecord, resolution: PayoutResolution): readonly number[] {
  const all = payout.transfers.map((_, index) => index);
  switch (resolution.state) {
    case 'succeeded':
      return all;
    case 'failed':
      return [];
    case 'partially_succeeded': {
      const paid = [...new Set(resolution.paid)];
      if (paid.length > 0 && paid.length < all.length && paid.every((index) => all.includes(index)))
        return paid;
      throw notResolvable(
        payout,
        `paid must have the indexes of some of its ${all.length} destinations, and not of all`,
      );
    }
    default:
      throw notResolvable(payout, 'state must be succeeded, failed or partially_succeeded');
  }
}
