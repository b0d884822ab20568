import type { Metadata } from '../values/metadata.js';
import type { NewPayment } from './payments.store.js';
import type { PaymentRecord } from './payment.js';

/**
 * Whether a request is the one that a payment was recorded for: channel, till, phone, currency, amount and metadata,
 * whatever way they were written; not names or e-mail, which people write differently from one day to the next. Of a
 * payment whose personal data was redacted, what is left is compared. Fields are compared, not a hash of them: from a
 * stored hash a phone number could be computed.
 */
export function isSameRequest(payment: PaymentRecord, request: NewPayment): boolean {
  const { phoneNumber } = payment.subscriber;
  const redacted = phoneNumber === '';
  return (
    payment.channel === request.channel &&
    payment.tillNumber === request.tillNumber &&
    payment.amount.currency === request.amount.currency &&
    payment.amountMinor === request.amountMinor &&
    (redacted ||
      (phoneNumber === request.subscriber.phoneNumber &&
        canonical(payment.metadata) === canonical(request.metadata)))
  );
}

function canonical(metadata: Metadata | null): string {
  return JSON.stringify(
    Object.entries(metadata ?? {}).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
