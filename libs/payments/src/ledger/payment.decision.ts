import type { Transaction } from '../resources/transaction.resource.js';
import type { Judgement } from './payment.judgement.js';
import type { FailureReason, PaymentRecord, ReviewCause } from './payment.js';
import { isDecidable, isOpen } from './payment.states.js';
import { isSameMoney, type MoneyKey } from './till-transaction.js';

/** What a judgement does to a payment in the state it is in. */
export type Decision =
  | { kind: 'succeed'; transaction: Transaction }
  | { kind: 'fail'; reason: FailureReason; errors: readonly string[] }
  /** `told`: the event is due. The transaction is kept where the evidence showed one. */
  | { kind: 'review'; cause: ReviewCause; detail: string; transaction: Transaction | null }
  /** The state stays, the event `payment.needs_review` is due: somebody paid twice for one payment. */
  | { kind: 'second_transaction'; transaction: Transaction }
  /** `Success` without a transaction was seen once: read again now. */
  | { kind: 'read_again' }
  /** Nothing final, but the payment is with the platform: an id was learnt. */
  | { kind: 'accept' }
  /** Nothing changes; `count` names what is odd about it. */
  | { kind: 'keep'; count: string | null };

/** What is known beside the payment and the evidence. */
export interface DecisionContext {
  /** Key of the money that the evidence shows. */
  key: MoneyKey | null;
  /** Key of the money that the payment already has. */
  ownKey: MoneyKey | null;
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
  switch (judgement.kind) {
    case 'succeeded':
      return decideSuccess(payment, judgement.transaction, context);
    case 'failed':
      return decideFailure(payment, judgement);
    case 'contradiction':
      return decideContradiction(payment, judgement);
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
  context: DecisionContext,
): Decision {
  const { state } = payment;
  if (state === 'succeeded' || state === 'reversed') {
    return isSameMoney(context.key, context.ownKey)
      ? KEEP
      : { kind: 'second_transaction', transaction };
  }
  if (context.tiedTo !== null && context.tiedTo !== payment.id) {
    const detail = `the transaction already belongs to payment ${context.tiedTo}`;
    return mayReview(payment)
      ? { kind: 'review', cause: 'transaction_of_another_payment', detail, transaction: null }
      : { kind: 'keep', count: 'transaction of another payment' };
  }
  if (state === 'failed') {
    const detail = 'the platform shows the money after it said that the payment failed';
    return { kind: 'review', cause: 'paid_after_failure', detail, transaction };
  }
  if (!isDecidable(payment)) return { kind: 'keep', count: `success while ${state}` };
  if (context.reversed) {
    return {
      kind: 'review',
      cause: 'reversed',
      detail: 'the transaction was reversed',
      transaction,
    };
  }
  return { kind: 'succeed', transaction };
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
): Decision {
  if (payment.state === 'failed')
    return { kind: 'review', cause: 'paid_after_failure', detail, transaction };
  if (mayReview(payment)) return { kind: 'review', cause, detail, transaction };
  return {
    kind: 'keep',
    count: payment.cause === cause ? null : `${cause} while ${payment.state}`,
  };
}

function decideEmptySuccess(payment: PaymentRecord, { isRead }: DecisionContext): Decision {
  if (!isOpen(payment.state)) return KEEP;
  if (!isRead || payment.emptySuccesses === 0) return { kind: 'read_again' };
  const detail = 'the platform says Success and shows no transaction, also when read again';
  return { kind: 'review', cause: 'no_transaction', detail, transaction: null };
}

/** A stronger cause replaces one that would have settled by itself; between two strong ones the first stays. */
function mayReview(payment: PaymentRecord): boolean {
  return isDecidable(payment) || payment.state === 'failed';
}
