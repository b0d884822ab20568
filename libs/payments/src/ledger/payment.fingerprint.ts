import { createHash } from 'node:crypto';
import type { CompleteIncomingPayment } from '../resources/incoming-payments/incoming-payment.resource.js';
import { canonicalValue } from '../values/money.js';

/**
 * What makes two requests the same request: channel, till, phone, currency, amount and metadata, whatever way they were
 * written. Not names or e-mail, which people write differently from one day to the next.
 */
export function fingerprint({
  paymentChannel,
  tillNumber,
  subscriber,
  amount,
  metadata,
}: Omit<CompleteIncomingPayment, 'callbackUrl'>): string {
  const sorted = Object.entries(metadata ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  const value = canonicalValue(amount.value, amount.currency);
  return createHash('sha256')
    .update(
      JSON.stringify([
        paymentChannel,
        tillNumber,
        subscriber.phoneNumber,
        amount.currency,
        value,
        sorted,
      ]),
    )
    .digest('hex');
}
