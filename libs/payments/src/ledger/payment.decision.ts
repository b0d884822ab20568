import type { Transaction } from '../resources/transaction.resource.js';
import { nameOf, type Judgement } from './payment.judgement.js';
import type { FailureReason, PaymentRecord, ReviewCause } from './payment.js';
import { isDecidable, isOpen } from './payment.states.js';

/** What a judgement does to a payment in the state it is in. */
export type Decision =
  | { kind: 'succeed'; transaction: Transaction }
  | { kind: 'fail'; reason: FailureReason; errors: readonly string[] }
  /** The transaction is kept where the evidence showed one. `reference` names what the review is about. */
  | {
      kind: 'review';
      cause: ReviewCause;
      detail: string;
      transaction: Transaction | null;
      reference: string | null;
    }
  /** The state stays, and `payment.needs_review` is emitted: other money, or another contradiction, for the same payment. */
  | {
      kind: 'contradict';
      cause: ReviewCause;
      detail: string;
      reference: string | null;
      /** Nobody else's: the platform showed it for this payment, so that it is matched to no other. */
      transaction: Transaction | null;
    }
  /** `Success` without a transaction was seen once: read again now. */
  | { kind: 'read_again' }
  /** Nothing final, but the payment is with the platform: an id was learnt. */
  | { kind: 'accept' }
  /** Nothing changes; `count` names what is odd about it. */
  | { kind: 'keep'; count: string | null };

/** What is known beside the payment and the evidence. */
export interface DecisionContext {
  /** Payment that the money of the evidence already belongs to. */
  tiedTo: string | null;
  /** Whether that money is known to have been reversed. */
  reversed: boolean;
  /** Whether the evidence is a read of ours: only that confirms that there is no transaction. */
  isRead: boolean;
}

const KEEP: Decision = { kind: 'keep', count: null };

/** The whole of the rules: which evidence changes what, in which state. Order of arrival changes no end state. */
export function decide(
  payment: PaymentRecord,
  judgement: Judgement,
  context: DecisionContext,
): Decision {
  if (payment.state === 'created') return { kind: 'keep', count: 'evidence before sending' };
  switch (judgement.kind) {
    case 'succeeded':
      return decideSuccess(payment, judgement.transaction, context);
    case 'failed':
      return decideFailure(payment, judgement);
    case 'contradiction':
      return decideContradiction(payment, judgement, context);
    case 'no_transaction':
      return decideEmptySuccess(payment, context);
    case 'open':
      if (judgement.unknownStatus !== null)
        return { kind: 'keep', count: `unknown status ${judgement.unknownStatus}` };
      return payment.state === 'pending' || !isOpen(payment.state) ? KEEP : { kind: 'accept' };
  }
}

function decideSuccess(
  payment: PaymentRecord,
  transaction: Transaction,
  { tiedTo, reversed }: DecisionContext,
): Decision {
  const { state } = payment;
  const reference = transaction.reference;
  if (tiedTo !== null && tiedTo !== payment.id) {
    const detail = `transaction ${reference} already belongs to payment ${tiedTo}`;
    const cause = 'transaction_of_another_payment';
    return mayReview(payment)
      ? { kind: 'review', cause, detail, transaction: null, reference }
      : { kind: 'contradict', cause, detail, reference, transaction: null };
  }
  const isOwn = tiedTo === payment.id;
  if (state === 'succeeded' || state === 'reversed' || !mayReview(payment)) {
    return isOwn ? KEEP : secondTransaction(transaction);
  }
  // A person who looked at this very money has decided; other money is another matter.
  if (state === 'failed' && payment.decided && isOwn) return KEEP;
  if (state === 'failed') {
    const detail = `the platform shows transaction ${reference} after it said that the payment failed`;
    return { kind: 'review', cause: 'paid_after_failure', detail, transaction, reference };
  }
  if (reversed) {
    const detail = `transaction ${reference} was reversed`;
    return { kind: 'review', cause: 'reversed', detail, transaction, reference };
  }
  return { kind: 'succeed', transaction };
}

function secondTransaction(transaction: Transaction): Decision {
  const reference = nameOf(transaction);
  const detail = `a second transaction, ${reference}, was seen for this payment`;
  return { kind: 'contradict', cause: 'second_transaction', detail, reference, transaction };
}

function decideFailure(
  payment: PaymentRecord,
  { reason, errors }: Judgement & { kind: 'failed' },
): Decision {
  if (isDecidable(payment)) return { kind: 'fail', reason, errors };
  return {
    kind: 'keep',
    count: payment.state === 'failed' ? null : `failure while ${payment.state}`,
  };
}

function decideContradiction(
  payment: PaymentRecord,
  { cause, detail, transaction }: Judgement & { kind: 'contradiction' },
  { tiedTo }: DecisionContext,
): Decision {
  const reference = transaction && nameOf(transaction);
  // Money of another payment is never taken from it, whatever else is wrong with it.
  const own = tiedTo === null || tiedTo === payment.id ? transaction : null;
  if (payment.state === 'failed' && payment.decided && tiedTo === payment.id) return KEEP;
  if (payment.state === 'failed')
    return { kind: 'review', cause: 'paid_after_failure', detail, transaction: own, reference };
  if (mayReview(payment)) return { kind: 'review', cause, detail, transaction: own, reference };
  if (payment.state === 'needs_review') {
    // A reversal of its own money is no contradiction: it is written where the money is.
    const known = cause === 'reversed' && tiedTo === payment.id;
    // The same contradiction, now without its transaction, says nothing new.
    const less = reference === null && payment.cause === cause;
    return known || less
      ? KEEP
      : { kind: 'contradict', cause, detail, reference, transaction: own };
  }
  return transaction && tiedTo === null
    ? secondTransaction(transaction)
    : { kind: 'keep', count: `${cause} while ${payment.state}` };
}

function decideEmptySuccess(payment: PaymentRecord, { isRead }: DecisionContext): Decision {
  if (!isOpen(payment.state)) return KEEP;
  if (!isRead || payment.emptySuccesses === 0) return { kind: 'read_again' };
  const detail = 'the platform says Success and shows no transaction, also when read again';
  return { kind: 'review', cause: 'no_transaction', detail, transaction: null, reference: null };
}

/** A stronger cause replaces one that would have settled by itself; between two strong ones the first stays. */
function mayReview(payment: PaymentRecord): boolean {
  return isDecidable(payment) || payment.state === 'failed';
}
