import type { Metadata } from '../../../money/metadata.js';
import type { Amount } from '../../../money/money.js';
import type { ResourceEnvelope } from '../../../money/resource-envelope.js';
import { readTransaction } from '../../transaction.resource.js';
import type { Transaction } from '../../../money/transaction.js';
import { toWireAmount, wireObject, wireText, wireTexts } from '../../wire-value.js';
import type { SubscriberDto } from './create-incoming-payment.dto.js';

export const INCOMING_PAYMENT_TYPE = 'incoming_payment';

/**
 * An incoming payment as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#incoming-payments
 * @publicApi
 */
export interface IncomingPayment {
  id: string;
  /** ISO 8601, as the platform wrote it. */
  initiationTime: string | null;
  /** `Success` and `Failed` are final; any other status is not. */
  status: string | null;
  event: {
    type: string | null;
    /** The resulting transaction; null when there is none, or none yet. */
    resource: Transaction | null;
    /** The platform's error messages on a failure; else empty. */
    errors: string[];
  };
  /** The metadata of the request. */
  metadata: Metadata | null;
  /** `callbackUrl` has its MAC replaced by a hash, because the MAC is a secret. */
  links: { callbackUrl: string | null; self: string | null };
  /** The resource as the platform sent it, except for the MAC in its callback URL. */
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
      resource: readTransaction(event?.['resource'], event?.['type'], 'operation', envelope.latest),
      errors: wireTexts(event?.['errors']),
    },
    metadata: wireObject(attributes['metadata']) as Metadata | null,
    links: envelope.links,
    raw: envelope.raw,
  };
}

/** A request with all defaults filled in, and the phone number in international form. */
export interface CompleteIncomingPayment {
  paymentChannel: string;
  tillNumber: string;
  subscriber: SubscriberDto;
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
      ...(subscriber.middleName != null && { middle_name: subscriber.middleName }),
      last_name: subscriber.lastName,
      phone_number: subscriber.phoneNumber,
      ...(subscriber.email != null && { email: subscriber.email }),
    },
    amount: toWireAmount(amount),
    ...(payment.metadata && { metadata: payment.metadata }),
    _links: { callback_url: payment.callbackUrl },
  };
}
