import type { ResourceFormat } from '../server/resource-writer.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import { timestamp } from '../values/timestamp.js';
import type { OpenPaymentLink } from './payment-link.record.js';

/** Returns the resource of a payment link. @param urlOf the page on which a customer pays it */
export function paymentLinkFormat(
  urlOf: (link: OpenPaymentLink) => string,
): ResourceFormat<OpenPaymentLink> {
  return {
    path: '/api/v2/payment_links',
    type: 'payment_link',
    faults: ['unknown-status'],
    callbackUrlOf: ({ request }) => request._links.callback_url,
    identityOf: ({ id, transaction }) => ({
      paymentId: id,
      ...(transaction && { phone: transaction.phoneNumber }),
    }),
    attributes(link, { status }) {
      const { request, till, state, createdAt } = link;
      return {
        status: status ?? (state === 'pending' ? 'Received' : 'Processed'),
        created_at: timestamp(createdAt),
        till_name: `Till ${till.reported}`,
        till_number: request.till_number,
        currency: request.currency,
        amount: request.amount,
        payment_reference: request.payment_reference ?? null,
        note: request.note ?? null,
        payment_link: linkOf(link, urlOf(link), status),
        errors: null,
        metadata: request.metadata ?? {},
      };
    },
  };
}

/** After the payment, the status has another key. */
function linkOf(
  { state, transaction, expiresAt }: OpenPaymentLink,
  link: string,
  status: string | undefined,
): WireObject | null {
  if (state === 'pending') return null;
  const expires = { expires_at: timestamp(expiresAt), link };
  if (!transaction) {
    const title = state.charAt(0).toUpperCase() + state.slice(1);
    return {
      payment_link_status: status ?? title,
      initiator_name: 'Simulated Merchant',
      ...expires,
    };
  }
  return {
    status: status ?? 'Paid',
    ...expires,
    transaction_reference: transaction.reference,
    sender_phone_number: transaction.phoneNumber,
    origination_time: timestamp(transaction.originatedAt),
  };
}
