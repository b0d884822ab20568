import { PaymentNotResolvableError } from '../payments.errors.js';
import type { Transaction } from '../resources/transaction.resource.js';
import type { TillAliases } from '../values/till-number.js';
import type { PaymentRecord } from './payment.js';
import type { PaymentsStore } from './payments.store.js';
import {
  joinedFor,
  moneyKey,
  ownerAmong,
  sumsAt,
  type TransactionRecord,
} from './till-transaction.js';

/** A person's decision on a payment in review. @publicApi */
export interface Resolution {
  /**
   * `succeeded`: the money is there. `failed`: it is not, or the customer got it back some other way; what may have been its
   * money in an `ambiguous` review is left to the others. `reversed`: it came and went back, which the platform has reported.
   */
  state: 'succeeded' | 'failed' | 'reversed';
  /** Who decided. */
  by: string;
  /** Why. */
  note: string;
  /** Reference of the transaction that paid, for `succeeded`, when the payment does not know one yet. */
  reference?: string;
}

/** The money that a decision stands on, and everything known under its reference. */
interface ReviewedMoney {
  transaction: Transaction;
  record: TransactionRecord | null;
  /** Whether the platform has shown it. Else nothing is known but its reference. */
  isReported: boolean;
}

/**
 * The transaction that a resolution stands on: the one the payment knows, the one the till received under the reference,
 * or, where the platform never reported it, no more than the reference and what was asked for. It becomes the payment's
 * own with the decision. Null where the decision stands on none.
 * @throws PaymentNotResolvableError when there is none, it is another payment's, or it went back
 */
export async function reviewedTransaction(
  payment: PaymentRecord,
  { state, reference }: Resolution,
  store: PaymentsStore,
  aliases: TillAliases,
): Promise<ReviewedMoney | null> {
  if (state === 'failed') return null;
  const refused = (why: string): PaymentNotResolvableError =>
    new PaymentNotResolvableError(payment.id, why);
  const own = payment.transaction;
  const wanted = reference?.trim() || own?.reference;
  if (!wanted) throw refused('give the reference of the transaction that paid it');
  const record = await store.findTransaction(payment.account, wanted);
  const till = own?.reference === wanted ? moneyKey(own)?.till : undefined;
  const numbers = till ? joinedFor(payment, till) : payment.tills;
  const atOwnTill = sumsAt(record, numbers, aliases);
  // A person who names a reference means the money under it, at whatever till it came.
  const sums = atOwnTill.length > 0 ? atOwnTill : (record?.sums.slice(0, 1) ?? []);
  const other = ownerAmong(sums, payment.id);
  if (other) throw refused(`transaction ${wanted} belongs to ${other}`);
  const reversal = sums.find((sum) => sum.reversal)?.reversal ?? null;
  if (state === 'reversed') {
    if (reversal) return { transaction: reversal, record, isReported: true };
    throw refused(
      `the platform has reported no reversal of transaction ${wanted}; resolve it as succeeded, and the reversal will follow`,
    );
  }
  if (reversal) {
    throw refused(`transaction ${wanted} was reversed: resolve it as reversed, or as failed`);
  }
  const received = sums.find((sum) => sum.received)?.received;
  const shown = received ?? (own?.reference === wanted ? own : null);
  return shown
    ? { transaction: shown, record, isReported: true }
    : { transaction: byReferenceOnly(payment, wanted), record, isReported: false };
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
