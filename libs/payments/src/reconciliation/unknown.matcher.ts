import type { PaymentRecord } from '../ledger/payment.js';
import type { TransactionRecord } from '../ledger/till-transaction.js';
import { comparePhone } from '../values/phone-number.js';

/** The money of a payment originated from this long before it was sent to this long after, on the platform's clock. */
export const BEFORE_SENDING_MS = 2 * 60_000;
export const AFTER_SENDING_MS = 15 * 60_000;

/** The window in which the money of a sent payment can have originated. */
export function matchWindow(sentAt: Date): { from: Date; to: Date } {
  return {
    from: new Date(sentAt.getTime() - BEFORE_SENDING_MS),
    to: new Date(sentAt.getTime() + AFTER_SENDING_MS),
  };
}

export type Match =
  | { kind: 'none' }
  | { kind: 'one'; transaction: TransactionRecord }
  /** More than one pairing would fit, or it cannot be told who paid: a person decides. */
  | { kind: 'ambiguous'; detail: string };

/**
 * Pairs a payment of which the platform never gave an id with money at its till: only when exactly one transaction fits
 * the payment and exactly one payment fits that transaction. Anything else would be a guess.
 * @param transactions received at the till with the same amount, in the payment's window, that belong to no payment
 * @param rivals other unsettled payments of the same till and amount
 */
export function matchUnknown(
  payment: PaymentRecord,
  transactions: readonly TransactionRecord[],
  rivals: readonly PaymentRecord[],
): Match {
  const fitting = transactions.filter((transaction) => fits(payment, transaction));
  const [transaction] = fitting;
  if (!transaction) return { kind: 'none' };
  if (fitting.length > 1)
    return { kind: 'ambiguous', detail: `${fitting.length} transactions fit this payment` };
  if (payerOf(payment, transaction) === 'unreadable') {
    return {
      kind: 'ambiguous',
      detail: `transaction ${transaction.reference} fits, and does not show who paid it`,
    };
  }
  const others = rivals.filter((rival) => rival.id !== payment.id && fits(rival, transaction));
  if (others.length > 0) {
    return {
      kind: 'ambiguous',
      detail: `transaction ${transaction.reference} fits ${others.length + 1} payments`,
    };
  }
  return { kind: 'one', transaction };
}

function fits(payment: PaymentRecord, transaction: TransactionRecord): boolean {
  if (!payment.sentAt || !transaction.originatedAt) return false;
  const { from, to } = matchWindow(payment.sentAt);
  const inWindow = transaction.originatedAt >= from && transaction.originatedAt <= to;
  return inWindow && payerOf(payment, transaction) !== 'different';
}

function payerOf(
  payment: PaymentRecord,
  { received }: TransactionRecord,
): 'same' | 'different' | 'unreadable' {
  return comparePhone(payment.subscriber.phoneNumber, {
    phoneNumber: received?.senderPhoneNumber ?? null,
    hashedPhone: received?.hashedSenderPhone ?? null,
  });
}
