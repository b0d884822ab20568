import type { Till } from '../tills/tills.service.js';
import type { Transaction } from '../transactions/transactions.store.js';

export interface CreatePaymentLinkBody {
  till_number: string;
  currency: string;
  amount: number;
  payment_reference?: string | null;
  note?: string | null;
  metadata?: Record<string, unknown> | null;
  _links: { callback_url: string };
}

/** `pending` until the platform has made the link; then `active` until it is paid or cancelled, at most for 7 days. */
export type PaymentLinkState = 'pending' | 'active' | 'paid' | 'cancelled' | 'expired';

/** A link by which a customer pays a fixed amount once. */
export interface OpenPaymentLink {
  readonly id: string;
  readonly request: CreatePaymentLinkBody;
  readonly till: Till;
  readonly createdAt: number;
  readonly expiresAt: number;
  state: PaymentLinkState;
  transaction: Transaction | null;
}

/** The truth about one payment link. */
export interface PaymentLink {
  readonly linkId: string;
  /** The page on which a customer pays. */
  readonly url: string;
  readonly tillNumber: string;
  /** The amount is in units of the currency. */
  readonly amount: number;
  readonly currency: string;
  readonly paymentReference: string | null;
  readonly note: string | null;
  readonly callbackUrl: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly state: PaymentLinkState;
  /** The reference of the transaction that paid it; null if it is not paid. */
  readonly reference: string | null;
  /** The phone number with + that paid it; null if it is not paid. */
  readonly phone: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** @param url the page on which a customer pays */
export function paymentLinkOf(link: OpenPaymentLink, url: string): PaymentLink {
  const { request, transaction } = link;
  return {
    linkId: link.id,
    url,
    tillNumber: link.till.reported,
    amount: Number(request.amount),
    currency: request.currency,
    paymentReference: request.payment_reference ?? null,
    note: request.note ?? null,
    callbackUrl: request._links.callback_url,
    metadata: request.metadata ?? {},
    state: link.state,
    reference: transaction?.reference ?? null,
    phone: transaction?.phoneNumber ?? null,
    createdAt: new Date(link.createdAt).toISOString(),
    expiresAt: new Date(link.expiresAt).toISOString(),
  };
}
