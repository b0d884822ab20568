import type { PayoutScenarioName } from '../payouts/payout-scenarios.constants.js';
import type { Transaction } from '../transactions/transactions.store.js';

export interface CreateReversalBody {
  transaction_reference: string;
  reason: string;
  metadata?: Record<string, unknown> | null;
  _links: { callback_url: string };
}

/** The statuses of a reversal request. `Processed` means handled, not paid. */
export type RefundStatus = 'Received' | 'Scheduled' | 'Processed';

/** A request to give the money of a transaction back. */
export interface Reversal {
  readonly id: string;
  readonly request: CreateReversalBody;
  readonly transaction: Transaction;
  readonly scenario: PayoutScenarioName;
  readonly createdAt: number;
  status: RefundStatus;
  /** The payment to the customer; null until the request is processed. */
  bulkPayment: { status: string; originatedAt: number; reference: string | null } | null;
  errors: string[] | null;
  /** True when its amount is reserved on the till. */
  isReserved: boolean;
  /** True when the money has really moved. */
  isPaid: boolean;
}

/** The truth about one request to give money back. */
export interface Refund {
  readonly refundId: string;
  /** The reference of the transaction that it reverses. */
  readonly transactionReference: string;
  readonly tillNumber: string;
  /** The customer's phone number with +; null for money of another till. */
  readonly phone: string | null;
  /** The amount is in units of the currency. */
  readonly amount: number;
  readonly currency: string;
  readonly reason: string;
  readonly callbackUrl: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly scenario: PayoutScenarioName;
  /** The status of the request that the platform reports. */
  readonly status: RefundStatus;
  /** The status of the payment to the customer that the platform reports; null until the request is processed. */
  readonly paymentStatus: string | null;
  readonly errors: readonly string[] | null;
  /** True when the money has really moved. */
  readonly paid: boolean;
  /** The reference of the payment to the customer; null if no money has moved. */
  readonly reference: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** True when the payment to the customer is not finished. */
export function isOpenReversal({ bulkPayment }: Reversal): boolean {
  return !bulkPayment || bulkPayment.status === 'Pending';
}

export function refundOf({ id, request, transaction, bulkPayment, ...rest }: Reversal): Refund {
  return {
    refundId: id,
    transactionReference: transaction.reference,
    tillNumber: transaction.tillNumber,
    phone: transaction.kind === 'buygoods' ? transaction.phoneNumber : null,
    amount: transaction.amount,
    currency: transaction.currency,
    reason: request.reason,
    callbackUrl: request._links.callback_url,
    metadata: request.metadata ?? {},
    scenario: rest.scenario,
    status: rest.status,
    paymentStatus: bulkPayment?.status ?? null,
    errors: rest.errors,
    paid: rest.isPaid,
    reference: bulkPayment?.reference ?? null,
    createdAt: new Date(rest.createdAt).toISOString(),
  };
}
