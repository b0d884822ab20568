import { createHash } from 'node:crypto';
import type { Amount, Payment, PaymentLink, Refund } from '@tillkit/payments';
import type { PaymentState, RefundedMoney } from '@tillkit/payments/types';

/** An order of a customer. Its payments decide whether it is paid. */
export interface Order {
  /** The id is also the secret part of the order page's address. */
  readonly id: string;
  /** The order number for people. */
  readonly number: number;
  /** Names what the customer owes once. When the customer changes the form and sends it again, that is another order of the same basket. */
  readonly basket: string;
  readonly goods: string;
  readonly price: Amount;
  readonly customer: string;
  /** The phone number that the customer typed last. */
  readonly phone: string;
  /** The number of payments: one, and one more for each retry. */
  readonly attempts: number;
  /** The number of payment links that were made. They are made one after the other. */
  readonly links: number;
  /** The number of refunds that were requested: one, and one more after each refund that failed. */
  readonly refunds: number;
}

/** An order with the payments, the link and the refund that decide its state. */
export interface OrderView {
  readonly order: Order;
  /** The payment of each attempt, oldest first. */
  readonly attempts: readonly Payment[];
  /** The attempt that decides the state. */
  readonly payment: Payment;
  /** The latest payment link. */
  readonly link: PaymentLink | null;
  /** The latest refund. */
  readonly refund: Refund | null;
}

/** The state of an order comes from its payment, from its payment link while the link can be paid, or from its refund. */
export type OrderState =
  PaymentState | 'shared' | 'refunding' | 'refunded' | 'refund_failed' | 'refund_review';

/** Returns the id of an order. The same form has the same id; a changed form has another one. */
export function orderId(ticket: string, goodsId: string, name: string, phone: string): string {
  const text = JSON.stringify([ticket, goodsId, name, phone]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Returns the idempotency key of an attempt. Each attempt is a separate payment; a repeated key never prompts again. */
export function attemptKey({ number }: Order, attempt: number): string {
  return `order-${number}-${attempt}`;
}

export function linkKey({ number }: Order, link: number): string {
  return `order-${number}-link-${link}`;
}

export function refundKey({ number }: Order, refund: number): string {
  return `refund-${number}-${refund}`;
}

/** Returns the payment of an order; after it failed, the link that was made then. */
export function paidWith({ payment, link }: OrderView): Payment | PaymentLink {
  // Nobody knows the URL of an unknown link, so nobody can pay it.
  const isLink = payment.state === 'failed' && link && !['failed', 'unknown'].includes(link.state);
  return isLink ? link : payment;
}

export function orderState(view: OrderView): OrderState {
  const { link } = view;
  const money = paidWith(view);
  // Several attempts may have been paid. A refund of another attempt leaves the money of this one in the till.
  const refund = isRefundOf(view.refund, money) ? view.refund : null;
  const { state } = money;
  if (money === link && ['created', 'requested', 'pending'].includes(state)) return 'shared';
  if (!refund) return state;
  // The payment may be reversed before the platform reports that the refund succeeded.
  const isBack = state === 'reversed' && refund.state !== 'failed';
  if (isBack || refund.state === 'succeeded') return 'refunded';
  if (state !== 'succeeded') return state;
  if (refund.state === 'failed') return 'refund_failed';
  return refund.state === 'needs_review' ? 'refund_review' : 'refunding';
}

/** Names the money that a refund of the order sends back. A payment is named by its id, the money of a link only by its transaction. */
export function refundedMoney(view: OrderView): RefundedMoney {
  const { id, transaction } = paidWith(view);
  if (id !== view.link?.id) return { paymentId: id };
  return { reference: transaction?.reference ?? '', tillNumber: transaction?.tillNumber ?? '' };
}

function isRefundOf(refund: Refund | null, { id, transaction }: Payment | PaymentLink): boolean {
  if (!refund) return false;
  return refund.paymentId ? refund.paymentId === id : refund.reference === transaction?.reference;
}

export function isRefundable(view: OrderView): boolean {
  return ['succeeded', 'refund_failed'].includes(orderState(view));
}

/** Returns the attempts that may still be paid. Only the customer knows whether the phone shows them. */
export function openAttempts({ attempts }: OrderView): readonly Payment[] {
  return attempts.filter(({ state }) => !['succeeded', 'failed', 'reversed'].includes(state));
}

/** True when the customer may say that the phone shows no prompt, and get another one. */
export function mayAskAgain(view: OrderView): boolean {
  return view.link === null && ['pending', 'unknown'].includes(orderState(view));
}

/**
 * Returns the payment that decides the state of an order: one that succeeded; else the latest that waits for the customer; else one in review; else
 * the latest.
 * @param payments the payments of all attempts, oldest first
 */
export function decidingPayment(payments: readonly Payment[]): Payment | undefined {
  return (
    payments.find(({ state }) => state === 'succeeded') ??
    payments.findLast(({ state }) => !['failed', 'needs_review'].includes(state)) ??
    payments.find(({ state }) => state === 'needs_review') ??
    payments.at(-1)
  );
}
