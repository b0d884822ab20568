import { recordedFields } from '../store/operation.js';
import type { PaymentLinkRecord } from '../operations/payment-links/payment-link.js';
import type { RefundRecord } from '../operations/refunds/refund.js';

/** Every pending operation of KES 100 at the till has these fields. */
const PENDING = {
  ...recordedFields(0, 0),
  account: 'default',
  state: 'pending',
  platformId: 'platform-1',
  sentAt: new Date(0),
  amount: { currency: 'KES', value: '100.00' },
  amountMinor: '10000',
  tillNumber: '514459',
  besides: [],
} as const;

/** Returns a refund of the transaction `ONE` as a store keeps it, in the state `pending`. */
export function aRefundRecord(changes: Partial<RefundRecord> = {}): RefundRecord {
  return {
    ...PENDING,
    id: 'r',
    kind: 'refund',
    reference: 'ONE',
    ...changes,
  } as unknown as RefundRecord;
}

/** Returns a payment link as a store keeps it, in the state `pending`. */
export function aPaymentLinkRecord(changes: Partial<PaymentLinkRecord> = {}): PaymentLinkRecord {
  return {
    ...PENDING,
    id: 'l',
    kind: 'payment_link',
    order: null,
    tills: ['514459'],
    ...changes,
  } as unknown as PaymentLinkRecord;
}
