import { PaymentNotResolvableError } from '../payments.errors.js';
import type { Transaction } from '../resources/transaction.resource.js';
import type { PaymentRecord } from './payment.js';
import type { PaymentsStore } from './payments.store.js';

/** A person's word on a payment in review. @publicApi */
export interface Resolution {
  state: 'succeeded' | 'failed';
  /** Who decided. */
  by: string;
  /** Why. */
  note: string;
  /** Reference of the transaction that paid, for `succeeded`, when the payment does not know one yet. */
  reference?: string;
}

/**
 * The transaction that a resolution stands on: the one the payment knows, the one the till received under the reference,
 * or, where the platform never told us of it, no more than the reference and what was asked for.
 * @throws PaymentNotResolvableError when there is none, or it is another payment's
 */
export async function reviewedTransaction(
  payment: PaymentRecord,
  { state, reference }: Resolution,
  store: PaymentsStore,
): Promise<Transaction | null> {
  if (state === 'failed') return null;
  const wanted = reference?.trim() || payment.transaction?.reference;
  if (!wanted) {
    throw new PaymentNotResolvableError(
      payment.id,
      'give the reference of the transaction that paid it',
    );
  }
  const known = await store.findTransaction(payment.account, {
    reference: wanted,
    tillKey: payment.tillKey,
  });
  if (known?.paymentId && known.paymentId !== payment.id) {
    throw new PaymentNotResolvableError(
      payment.id,
      `transaction ${wanted} belongs to payment ${known.paymentId}`,
    );
  }
  if (known?.received) return known.received;
  return payment.transaction?.reference === wanted
    ? payment.transaction
    : byReferenceOnly(payment, wanted);
}

function byReferenceOnly({ amount, tillNumber }: PaymentRecord, reference: string): Transaction {
  return {
    id: null,
    type: null,
    amount: amount.value,
    currency: amount.currency,
    status: null,
    system: null,
    reference,
    tillNumber,
    originationTime: null,
    senderFirstName: null,
    senderMiddleName: null,
    senderLastName: null,
    senderPhoneNumber: null,
    hashedSenderPhone: null,
    sendingTill: null,
    raw: {},
  };
}
