import type { WireObject } from '../transactions/transaction.resource.js';
import { timestamp } from '../values/timestamp.js';
import type { OpenPaymentLink } from './payment-links.store.js';

export const PAYMENT_LINKS_PATH = '/api/v2/payment_links';

/** The resource of a payment link, as in its GET and its callback. */
export function paymentLinkResource(
  link: OpenPaymentLink,
  urls: { readonly self: string; readonly link: string },
  changes: { readonly status?: string; readonly unknownField: boolean },
): WireObject {
  const { request, till } = link;
  return {
    data: {
      id: link.id,
      type: 'payment_link',
      attributes: {
        status: changes.status ?? (link.state === 'pending' ? 'Received' : 'Processed'),
        created_at: timestamp(link.createdAt),
        till_name: `Till ${till.reported}`,
        till_number: request.till_number,
        currency: request.currency,
        amount: request.amount,
        payment_reference: request.payment_reference ?? null,
        note: request.note ?? null,
        payment_link: linkOf(link, urls.link, changes.status),
        errors: null,
        metadata: request.metadata ?? {},
        ...(changes.unknownField ? { risk_score: { value: 7, model: 'none' } } : {}),
        _links: { callback_url: request._links.callback_url, self: urls.self },
      },
    },
  };
}

/** Once paid, the status has another key. */
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
