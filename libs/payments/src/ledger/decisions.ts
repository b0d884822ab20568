import {
  amountIn,
  amountsDiffer,
  minorOf,
  nameOf,
  otherAmountBack,
  tillsDiffer,
  wentBack,
} from '../money/transaction-sameness.js';
import {
  isEvidenced,
  type PaidTransaction,
  referenceOnly,
  type Transaction,
} from '../money/transaction.js';
import { HOUR, MINUTE, SECOND } from '../runtime/clock.js';
import { ANOMALY } from '../store/anomalies.store.js';
import type { Operation, OperationState, ReviewCause, Via } from '../store/operation.js';
import { type Assessment, type Decision, type DecisionContext, proofDigest } from './assessment.js';
import { fail, type OperationChange, reviewDetail, succeed } from './operation-changes.js';
import { isDecidable, isOpen, isSelfSettling } from './operation-states.js';

/** An operation whose `Success` shows no transaction is read again after this time. */
export const READ_AGAIN_MS = SECOND;

/**
 * `Cancelled` is believed when a read says so again this long after its first report was stored: two minutes, the time that a commit may take, and
 * what the platform's clock may be wrong by. The platform may still transfer what it called `Cancelled` a moment ago.
 */
export const FAILURE_STANDS_AFTER_MS = 2 * MINUTE + 20 * SECOND;

/** The read that confirms `Cancelled` is due after this time. */
export const READ_FAILURE_MS = FAILURE_STANDS_AFTER_MS + 5 * SECOND;

/** A review that proof can settle is read this often on its first day. */
export const READ_REVIEW_MS = HOUR;

const KEEP: Decision = { kind: 'keep', anomaly: null };

/**
 * Decides what an assessment changes in the present state of an operation that expects money at a till. The order of evidence does not change the final state.
 * @see docs/promises.md#states
 */
export function decideReceived(
  operation: Operation,
  assessment: Assessment,
  context: DecisionContext,
): Decision {
  if (operation.state === 'created')
    return { kind: 'keep', anomaly: ANOMALY.evidenceBeforeSending };
  switch (assessment.kind) {
    case 'succeeded':
      return decideSuccess(operation, assessment.transaction, context);
    case 'failed':
      return decideFailure(operation, assessment, context);
    case 'contradiction':
      return decideContradiction(operation, assessment, context);
    case 'no_transaction':
      return decideEmptySuccess(operation, context);
    case 'open':
      if (assessment.unknownStatus !== null)
        return { kind: 'keep', anomaly: ANOMALY.unknownStatus(assessment.unknownStatus) };
      return operation.state === 'pending' || !isOpen(operation.state) ? KEEP : { kind: 'accept' };
  }
}

function decideSuccess(
  operation: Operation,
  shown: PaidTransaction,
  context: DecisionContext,
): Decision {
  const { tiedTo, reversal } = context;
  const { state } = operation;
  const { reference } = shown;
  // The till says the amount, where the operation shows only what we had asked for. Its kind has compared what the operation itself shows.
  const received = isEvidenced(shown) ? null : context.received;
  const transaction = received ? { ...received, reference } : shown;
  if (tiedTo !== null && tiedTo !== operation.id) {
    const another = transactionOfAnother(reference, tiedTo);
    // Money of another operation proves nothing against the decision of a person.
    if (state === 'failed' && operation.decided)
      return { kind: 'keep', anomaly: ANOMALY.doubtWhile(another.cause, state) };
    return { kind: mayReview(operation) ? 'review' : 'contradict', ...another };
  }
  const isOwn = tiedTo === operation.id;
  const difference = differenceBetween(shown, context);
  if (!mayReview(operation) && !isReadAtLast(operation, shown)) {
    if (!isOwn) return secondTransaction(transaction);
    return difference === null
      ? proofInReview(operation, shown)
      : { kind: 'contradict', cause: 'reports_differ', detail: difference, reference, transaction };
  }
  if (state === 'failed') {
    const detail = `the platform shows transaction ${reference} after it said that the payment failed`;
    return { kind: 'review', cause: 'paid_after_failure', detail, transaction, reference };
  }
  if (difference !== null)
    return { kind: 'review', cause: 'reports_differ', detail: difference, transaction, reference };
  if (reversal) return { kind: 'review', ...reversedBefore(reversal, transaction), reference };
  const detail = received && amountDoubt(operation, received);
  if (detail !== null)
    return { kind: 'review', cause: 'amount_mismatch', detail, transaction, reference };
  return { kind: 'succeed', transaction: transaction as PaidTransaction };
}

/** Notes proof in the history, because the person who decides must see that the platform shows now what nothing contradicts. */
function proofInReview({ state, evidence }: Operation, shown: PaidTransaction): Decision {
  if (state !== 'needs_review' || evidence.includes(proofDigest(shown))) return KEEP;
  const note = `the platform shows transaction ${nameOf(shown)}, complete and without a contradiction`;
  return { kind: 'change', change: { set: {}, note } };
}

/** Says in what the operation's own result and the till's report of one transaction differ; null when they do not. */
function differenceBetween(
  shown: Transaction,
  { received, otherTill }: Pick<DecisionContext, 'received' | 'otherTill'>,
): string | null {
  const reference = nameOf(shown);
  const difference = received && amountsDiffer(reference, received, shown);
  if (difference !== null) return difference;
  const till = shown.tillNumber?.trim();
  if (otherTill === null || !till || !isEvidenced(shown)) return null;
  return tillsDiffer({ ...shown, reference }, otherTill, till);
}

/** Describes a reversal of another amount than the money, as the own result of an operation shows it; null when all of it went back. */
function partBack(
  { amount }: Pick<Operation, 'amount'>,
  reversal: Transaction,
  received: Transaction | null,
): string | null {
  if (received) {
    const { cause, detail } = reversedBefore(reversal, received);
    return cause === 'reversed' ? null : detail;
  }
  // Nobody has said what came: it is compared with what was asked for.
  const asked = referenceOnly(amount, null, reversal.reference ?? '');
  if (wentBack(reversal, asked) === 'all') return null;
  return `asked for ${amountIn(asked)}, and a reversal of ${amountIn(reversal)} of transaction ${nameOf(reversal)} was reported`;
}

/** Returns the cause of a review of money that went back before its operation was known to be paid. */
function reversedBefore(reversal: Transaction, transaction: Transaction) {
  const reference = nameOf(transaction);
  return wentBack(reversal, transaction) === 'all'
    ? ({ cause: 'reversed', detail: `transaction ${reference} was reversed`, transaction } as const)
    : ({
        cause: 'other_amount_reversed',
        detail: otherAmountBack(reference, transaction, reversal),
        transaction,
      } as const);
}

/** Says why the money of an operation is not what was asked for; null when it is, or when nobody has said its amount. */
export function amountDoubt(
  { amount, amountMinor }: Pick<Operation, 'amount' | 'amountMinor'>,
  transaction: Transaction,
): string | null {
  const { currency } = transaction;
  if (!isEvidenced(transaction)) return null;
  if (currency === amount.currency && minorOf(transaction) === amountMinor) return null;
  return `asked for ${amount.value} ${amount.currency}, and the till received ${transaction.amount} ${currency}`;
}

function secondTransaction(transaction: Transaction): Decision {
  const reference = nameOf(transaction);
  const detail = `a second transaction, ${reference}, was seen for this payment`;
  return { kind: 'contradict', cause: 'second_transaction', detail, reference, transaction };
}

function transactionOfAnother(reference: string | null, owner: string) {
  return {
    cause: 'transaction_of_another_payment',
    detail: `transaction ${reference} already belongs to payment ${owner}`,
    reference,
    transaction: null,
  } as const;
}

function decideFailure(
  operation: Operation,
  { reason, errors }: Assessment & { kind: 'failed' },
  { reasonOf }: DecisionContext,
): Decision {
  if (isDecidable(operation)) return { kind: 'fail', reason: reason ?? reasonOf(errors), errors };
  return {
    kind: 'keep',
    anomaly: operation.state === 'failed' ? null : ANOMALY.failureWhile(operation.state),
  };
}

function decideContradiction(
  operation: Operation,
  { kind, cause, detail, transaction: shown }: Assessment & { kind: 'contradiction' },
  context: DecisionContext,
): Decision {
  const { tiedTo, received } = context;
  const part = shown && cause === 'reversed' ? partBack(operation, shown, received) : null;
  if (part !== null)
    return decideContradiction(
      operation,
      { kind, cause: 'other_amount_reversed', detail: part, transaction: shown },
      context,
    );
  const isReversal = cause === 'reversed' || cause === 'other_amount_reversed';
  const difference =
    shown && cause !== 'other_amount_reversed' && operation.state !== 'failed'
      ? differenceBetween(shown, context)
      : null;
  if (difference !== null && cause !== 'reports_differ') {
    const differing = {
      kind,
      cause: 'reports_differ',
      detail: difference,
      transaction: shown,
    } as const;
    return decideContradiction(operation, differing, context);
  }
  const reference = shown && nameOf(shown);
  const transaction = shown && !isEvidenced(shown) && received ? received : shown;
  // A transaction that belongs to another operation stays with it.
  const own = tiedTo === null || tiedTo === operation.id ? transaction : null;
  // Only money can contradict a failure.
  if (operation.state === 'failed' && own === null)
    return { kind: 'keep', anomaly: ANOMALY.doubtWhile(cause, operation.state) };
  if (operation.state === 'failed')
    return { kind: 'review', cause: 'paid_after_failure', detail, transaction: own, reference };
  if (mayReview(operation)) return { kind: 'review', cause, detail, transaction: own, reference };
  if (operation.state === 'needs_review') {
    // A reversal of its own transaction is no contradiction: it is stored with the transaction.
    const isOwnReversal = isReversal && tiedTo === operation.id;
    // The same contradiction without its transaction says nothing new.
    const isRepeated = reference === null && operation.cause === cause;
    return isOwnReversal || isRepeated
      ? KEEP
      : { kind: 'contradict', cause, detail, reference, transaction: own };
  }
  if (cause === 'reports_differ' && tiedTo === operation.id)
    return { kind: 'contradict', cause, detail, reference, transaction: own };
  if (!transaction || tiedTo === operation.id)
    return { kind: 'keep', anomaly: ANOMALY.doubtWhile(cause, operation.state) };
  // The other operation may have got the money by its amount and time only, and the platform names its owner here.
  return tiedTo === null
    ? secondTransaction(transaction)
    : { kind: 'contradict', ...transactionOfAnother(nameOf(transaction), tiedTo) };
}

function decideEmptySuccess(operation: Operation, { isRead }: DecisionContext): Decision {
  if (!isOpen(operation.state)) return KEEP;
  if (!isRead || operation.emptySuccesses === 0) return { kind: 'read_again' };
  const detail = 'the platform says Success and shows no transaction, also when read again';
  return { kind: 'review', cause: 'no_transaction', detail, transaction: null, reference: null };
}

/** True when complete proof shows what could not be read when the operation was sent to review. An unreadable value contradicts nothing. */
function isReadAtLast({ state, cause, transaction }: Operation, shown: Transaction): boolean {
  if (state !== 'needs_review' || cause !== 'unreadable_amount') return false;
  return transaction === null || nameOf(transaction) === nameOf(shown);
}

/** True when a new cause may send the operation to review. It replaces a self-settling cause; any other cause stays. */
function mayReview(operation: Operation): boolean {
  return isDecidable(operation) || operation.state === 'failed';
}

/** Returns what evidence without a final outcome sets: it shows that the platform has the operation. An operation in review stays there. */
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

/** Says why a transfer that already belongs to another operation, or to another destination, needs a person. */
export function transferOfOther(
  reference: string,
  owner: string,
): { cause: ReviewCause; detail: string } {
  const detail = `transfer ${reference} already belongs to operation ${owner}`;
  return { cause: 'transaction_of_another_payment', detail };
}

/** True when a failure was first reported so long before a read that this read confirms it. */
export function failureStands(
  first: { state: string; failedAt?: number } | null | undefined,
  at: number | null,
): boolean {
  const { failedAt } = first?.state === 'failed' ? first : {};
  return failedAt !== undefined && at !== null && at - failedAt >= FAILURE_STANDS_AFTER_MS;
}

/** Longest text of causes: repeated contradictions must not grow a row without limit. */
const LONGEST_DETAIL = 2_000;
const BETWEEN_DETAILS = '\n';

/** Returns the change of a decision; null when it changes nothing. `firstReadMs` is the time until the first read of an accepted operation. */
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
        dueInMs: isSelfSettling(cause) && operation.platformId !== null ? READ_REVIEW_MS : null,
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
        dueInMs: READ_AGAIN_MS,
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
  // When the detail does not fit, we still emit the event and tie the transaction.
  const fits = all.length <= LONGEST_DETAIL;
  return {
    via,
    set: { ...(fits && { cause: operation.cause ?? cause, causeDetail: all }), ...learnt },
    ...(fits && { note: detail }),
    ...(transaction && { tie: transaction }),
    review: operation.redacted ? { ...decision, detail } : decision,
  };
}
