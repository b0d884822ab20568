import { ANOMALY } from '../../anomalies/anomaly.kinds.js';
import type { Assessment, Decision, Known } from '../../ledger/assessment.js';
import { isDecidable, isOpen } from '../../ledger/operation.states.js';
import type { PaidTransaction, Transaction } from '../../resources/transaction.resource.js';
import { nameOf } from '../../transactions/transaction.sameness.js';
import type { PaymentRecord } from './payment.js';

const KEEP: Decision = { kind: 'keep', anomaly: null };

/**
 * Decides what an assessment changes in the present state of a payment. The order of evidence does not change the final state.
 * @see docs/promises.md#states
 */
export function decide(payment: PaymentRecord, assessment: Assessment, known: Known): Decision {
  if (payment.state === 'created') return { kind: 'keep', anomaly: ANOMALY.evidenceBeforeSending };
  switch (assessment.kind) {
    case 'succeeded':
      return decideSuccess(payment, assessment.transaction, known);
    case 'failed':
      return decideFailure(payment, assessment);
    case 'contradiction':
      return decideContradiction(payment, assessment, known);
    case 'no_transaction':
      return decideEmptySuccess(payment, known);
    case 'open':
      if (assessment.unknownStatus !== null)
        return { kind: 'keep', anomaly: ANOMALY.unknownStatus(assessment.unknownStatus) };
      return payment.state === 'pending' || !isOpen(payment.state) ? KEEP : { kind: 'accept' };
  }
}

function decideSuccess(
  payment: PaymentRecord,
  transaction: PaidTransaction,
  { tiedTo, reversed }: Known,
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
  // A person has decided on this transaction. Another transaction goes to review.
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
  { reason, errors }: Assessment & { kind: 'failed' },
): Decision {
  if (isDecidable(payment)) return { kind: 'fail', reason, errors };
  return {
    kind: 'keep',
    anomaly: payment.state === 'failed' ? null : ANOMALY.failureWhile(payment.state),
  };
}

function decideContradiction(
  payment: PaymentRecord,
  { cause, detail, transaction }: Assessment & { kind: 'contradiction' },
  { tiedTo }: Known,
): Decision {
  const reference = transaction && nameOf(transaction);
  // A transaction that belongs to another payment stays with that payment.
  const own = tiedTo === null || tiedTo === payment.id ? transaction : null;
  if (payment.state === 'failed' && payment.decided && tiedTo === payment.id) return KEEP;
  if (payment.state === 'failed')
    return { kind: 'review', cause: 'paid_after_failure', detail, transaction: own, reference };
  if (mayReview(payment)) return { kind: 'review', cause, detail, transaction: own, reference };
  if (payment.state === 'needs_review') {
    // A reversal of the payment's own transaction is no contradiction: it is stored with the transaction.
    const known = cause === 'reversed' && tiedTo === payment.id;
    // The same contradiction without its transaction says nothing new.
    const less = reference === null && payment.cause === cause;
    return known || less
      ? KEEP
      : { kind: 'contradict', cause, detail, reference, transaction: own };
  }
  return transaction && tiedTo === null
    ? secondTransaction(transaction)
    : { kind: 'keep', anomaly: ANOMALY.doubtWhile(cause, payment.state) };
}

function decideEmptySuccess(payment: PaymentRecord, { isRead }: Known): Decision {
  if (!isOpen(payment.state)) return KEEP;
  if (!isRead || payment.emptySuccesses === 0) return { kind: 'read_again' };
  const detail = 'the platform says Success and shows no transaction, also when read again';
  return { kind: 'review', cause: 'no_transaction', detail, transaction: null, reference: null };
}

/** Whether a new cause may send the payment to review. It replaces a self-settling cause; any other cause stays. */
function mayReview(payment: PaymentRecord): boolean {
  return isDecidable(payment) || payment.state === 'failed';
}
