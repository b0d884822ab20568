import type { Operation, OperationForm } from '../store/operation.js';
import { paymentForm, type NewPayment, type PaymentRecord } from './payments/payment.js';
import {
  paymentLinkForm,
  type NewPaymentLink,
  type PaymentLinkRecord,
} from './payment-links/payment-link.js';
import { payoutForm, type NewPayout, type PayoutRecord } from './payouts/payout.js';
import { refundForm, type NewRefund, type RefundRecord } from './refunds/refund.js';

/** An operation of any kind, as stores keep it. */
export type OperationRecord = PaymentRecord | PayoutRecord | RefundRecord | PaymentLinkRecord;

/** An operation of any kind that is to be recorded. */
export type NewOperationRecord = NewPayment | NewPayout | NewRefund | NewPaymentLink;

/** Stores read here how they keep the operations of each kind. Adding a kind adds one line here. */
const FORMS: Readonly<Record<string, OperationForm<never>>> = {
  payment: paymentForm,
  payout: payoutForm,
  refund: refundForm,
  payment_link: paymentLinkForm,
};

/**
 * Says how a store keeps the operations of a kind.
 * @throws Error when this version does not have the kind
 */
export function formOf(operation: Pick<Operation, 'kind'>): OperationForm<NewOperationRecord> {
  const form = FORMS[operation.kind];
  if (!form)
    throw new Error(`this version does not have operations of the kind "${operation.kind}"`);
  return form as unknown as OperationForm<NewOperationRecord>;
}

/** Returns the `phoneHash` of the person who may pay an operation; null when it expects no money, or anybody may pay it. */
export function payerHashOf(operation: NewOperationRecord): string | null {
  const payer = formOf(operation).payer(operation);
  return payer === null || payer === 'anybody' ? null : payer.hash;
}
