import type { Metadata } from '../../values/metadata.js';
import type { Amount } from '../../values/money.js';
import type { ResourceEnvelope } from '../resource-envelope.js';
import { readTransaction, type Transaction } from '../transaction.resource.js';
import { wireObject, wireText, wireTexts } from '../wire-value.js';

export const INCOMING_PAYMENT_TYPE = 'incoming_payment';

/** An incoming payment as the platform tells it (spec 2.7). @publicApi */
export interface IncomingPayment {
  id: string;
  initiationTime: string | null;
  /** `Success` and `Failed` are final; anything else is not. */
  status: string | null;
  event: {
    type: string | null;
    /** The resulting transaction; null when there is none (yet). */
    resource: Transaction | null;
    /** The platform's words on a failure; empty when there are none. */
    errors: string[];
  };
  /** The metadata sent with the request, echoed back. */
  metadata: Metadata | null;
  links: { callbackUrl: string | null; self: string | null };
  raw: Record<string, unknown>;
}

export function readIncomingPayment(envelope: ResourceEnvelope): IncomingPayment {
  const { attributes } = envelope;
  const event = wireObject(attributes['event']);
  return {
    id: envelope.id,
    initiationTime: wireText(attributes['initiation_time']),
    status: wireText(attributes['status']),
    event: {
      type: wireText(event?.['type']),
      resource: readTransaction(event?.['resource'], event?.['type']),
      errors: wireTexts(event?.['errors']),
    },
    metadata: wireObject(attributes['metadata']) as Metadata | null,
    links: envelope.links,
    raw: envelope.raw,
  };
}

/** Everything that the wire needs, with defaults filled in and the phone in international form. */
export interface CompleteIncomingPayment {
  paymentChannel: string;
  tillNumber: string;
  subscriber: { firstName: string; lastName: string; phoneNumber: string; email?: string };
  amount: Amount;
  metadata?: Metadata;
  callbackUrl: string;
}

export function toWireIncomingPayment(payment: CompleteIncomingPayment): Record<string, unknown> {
  const { subscriber, amount } = payment;
  return {
    payment_channel: payment.paymentChannel,
    till_number: payment.tillNumber,
    subscriber: {
      first_name: subscriber.firstName,
      last_name: subscriber.lastName,
      phone_number: subscriber.phoneNumber,
      ...(subscriber.email != null && { email: subscriber.email }),
    },
    // The spec asks for a JSON number; the amount rule keeps to what a number carries exactly.
    amount: { currency: amount.currency, value: Number(amount.value) },
    ...(payment.metadata && { metadata: payment.metadata }),
    _links: { callback_url: payment.callbackUrl },
  };
}
