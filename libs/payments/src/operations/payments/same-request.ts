import { isSameMetadata } from '../../money/metadata.js';
import type { NewPayment, PaymentRecord } from './payment.js';

/**
 * Whether a request is the one that a payment was recorded for. It compares channel, till, phone, currency, amount, order and metadata,
 * in canonical form. It does not compare names and e-mail, because people write them differently, nor `besides`, which a repeat may add. Redacted fields are not
 * compared either. It compares fields instead of a stored hash, because a phone number can be computed from a hash.
 */
export function isSameRequest(payment: PaymentRecord, request: NewPayment): boolean {
  const { phoneNumber } = payment.subscriber;
  const redacted = phoneNumber === '';
  return (
    payment.channel === request.channel &&
    payment.tillNumber === request.tillNumber &&
    payment.amount.currency === request.amount.currency &&
    payment.amountMinor === request.amountMinor &&
    payment.order === request.order &&
    (redacted ||
      (phoneNumber === request.subscriber.phoneNumber &&
        isSameMetadata(payment.metadata, request.metadata)))
  );
}
