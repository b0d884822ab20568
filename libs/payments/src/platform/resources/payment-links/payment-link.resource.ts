import type { Metadata } from '../../../money/metadata.js';
import type { Amount } from '../../../money/money.js';
import { timestampOf } from '../../../money/timestamp.js';
import type { ResourceEnvelope } from '../../../money/resource-envelope.js';
import { readPayer } from '../../transaction.resource.js';
import { referenceOnly, type Transaction } from '../../../money/transaction.js';
import { readAmount, wireObject, wireText, wireTexts, type WireObject } from '../../wire-value.js';

export const PAYMENT_LINK_TYPE = 'payment_link';

/** What the platform says of the link itself. A field that the platform did not send is null. @publicApi */
export interface PaymentLinkDetails {
  /** `Active` or `active`: it can be paid. `Paid`: the money came. */
  status: string | null;
  /** ISO 8601, as the platform wrote it. */
  expiresAt: string | null;
  /** Where the customer pays, as the platform wrote it: a full URL, or a path such as `/links/1`. */
  url: string | null;
  /** Reference of the transaction that paid it. */
  transactionReference: string | null;
  /** Number of the customer who paid; null when the platform shows something that is no phone number. */
  senderPhoneNumber: string | null;
  /** When the customer paid: ISO 8601, as the platform wrote it. */
  originationTime: string | null;
  /** Who created the link. */
  initiatorName: string | null;
}

/**
 * A payment link as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#payment-links
 * @publicApi
 */
export interface PaymentLinkResource {
  id: string;
  /** `Processed` says that the platform made the link, not that it was paid: read `link.status`. */
  status: string | null;
  /** ISO 8601, as the platform wrote it. */
  createdAt: string | null;
  tillName: string | null;
  /** Till number as the platform wrote it; it may be an alias. */
  tillNumber: string | null;
  /** What is to be paid; null when the platform sent no readable amount with a currency. */
  amount: Amount | null;
  paymentReference: string | null;
  note: string | null;
  /** The link itself; null until there is one. */
  link: PaymentLinkDetails | null;
  /** The platform's error messages; empty when it sent none. */
  errors: string[];
  /** The metadata of the request. */
  metadata: Metadata | null;
  /** `callbackUrl` has its MAC replaced by a hash, because the MAC is a secret. */
  links: { callbackUrl: string | null; self: string | null };
  /** The resource as the platform sent it, except for the MAC in its callback URL. */
  raw: Record<string, unknown>;
}

export function readPaymentLink(envelope: ResourceEnvelope): PaymentLinkResource {
  const { id, attributes, links, latest, raw } = envelope;
  const link = wireObject(attributes['payment_link']);
  return {
    id,
    status: wireText(attributes['status']),
    createdAt: wireText(attributes['created_at']),
    tillName: wireText(attributes['till_name']),
    tillNumber: wireText(attributes['till_number']),
    amount: readAmount(attributes['currency'], attributes['amount']),
    paymentReference: wireText(attributes['payment_reference']),
    note: wireText(attributes['note']),
    link: link && readDetails(link, latest),
    errors: wireTexts(attributes['errors']),
    metadata: wireObject(attributes['metadata']) as Metadata | null,
    links,
    raw,
  };
}

function readDetails(wire: WireObject, latest?: number): PaymentLinkDetails {
  return {
    // The platform names it `status` only once the link was paid.
    status: wireText(wire['status']) ?? wireText(wire['payment_link_status']),
    expiresAt: wireText(wire['expires_at']),
    url: wireText(wire['link']),
    transactionReference: wireText(wire['transaction_reference']),
    senderPhoneNumber: readPayer(wireText(wire['sender_phone_number']), null).senderPhoneNumber,
    originationTime: timestampOf(wire['origination_time'], latest),
    initiatorName: wireText(wire['initiator_name']),
  };
}

/** Statuses of a link at which nobody can pay any more. */
const OVER = ['paid', 'cancelled', 'expired'];

/** Whether the link was paid, cancelled or has expired. A status that we do not know is not final. */
export function isOver(resource: PaymentLinkResource): boolean {
  return OVER.includes(statusOf(resource) ?? '');
}

/** The status of the link itself, as we compare it, because the platform writes the same one in several ways; null when it shows none. */
export function statusOf({ link }: PaymentLinkResource): string | null {
  return link?.status?.trim().toLowerCase() ?? null;
}

/** The transaction that paid, as far as the link shows it; null when nobody has paid. */
export function transactionOf({
  link,
  tillNumber,
  amount,
}: PaymentLinkResource): Transaction | null {
  const reference = link?.transactionReference?.trim();
  if (!link || !reference) return null;
  const { senderPhoneNumber, originationTime } = link;
  const shown = referenceOnly(amount ?? { currency: '', value: '' }, tillNumber, reference);
  const unreadable = amount ? {} : { amount: null, currency: null };
  return { ...shown, ...unreadable, senderPhoneNumber, originationTime };
}

/** A request with its till and callback URL. */
export interface CompletePaymentLink {
  tillNumber: string;
  amount: Amount;
  paymentReference?: string;
  note?: string;
  metadata?: Metadata;
  callbackUrl: string;
}

export function toWirePaymentLink(request: CompletePaymentLink): WireObject {
  const { amount, paymentReference, note, metadata } = request;
  return {
    till_number: request.tillNumber,
    currency: amount.currency,
    // A JSON number, as the platform's examples have it. `amountProblem` refuses amounts that it cannot carry exactly.
    amount: Number(amount.value),
    ...(paymentReference != null && { payment_reference: paymentReference }),
    ...(note != null && { note }),
    ...(metadata && { metadata }),
    _links: { callback_url: request.callbackUrl },
  };
}
