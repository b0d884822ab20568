import { createHash } from 'node:crypto';
import type { Amount } from '@tillkit/payments';

/** What a customer wants to have. What became of the money is the payments' to say. */
export interface Order {
  /** Also the key to the order's page: nobody guesses it. */
  readonly id: string;
  readonly goodsId: string;
  readonly goodsName: string;
  readonly price: Amount;
  readonly customer: string;
  /** As the customer wrote it last. */
  readonly phone: string;
  /** How many payments were asked for: one, and one more each time the customer tried again. */
  readonly attempts: number;
  readonly placedAt: Date;
  /** Set when the shop heard that it was paid, and set the goods aside. */
  readonly paid: OrderPaid | null;
}

export interface OrderPaid {
  readonly paymentId: string;
  readonly reference: string | null;
  readonly at: Date;
}

/**
 * The same form sent twice is the same order; a form that was changed is another one. The ticket comes with the form.
 */
export function orderId(ticket: string, goodsId: string, name: string, phone: string): string {
  const text = JSON.stringify([ticket, goodsId, name, phone]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** What people call it. */
export function orderNumber(id: string): string {
  return id.slice(0, 6).toUpperCase();
}

/** Each attempt is a payment of its own, asked for once however often the button is pressed. */
export function attemptKey(id: string, attempt: number): string {
  return `order-${id}-${attempt}`;
}

/** The order and attempt that a payment is for; null for payments that are none of ours. */
export function readAttemptKey(key: string): { id: string; attempt: number } | null {
  const match = /^order-([0-9a-f]{32})-([1-9]\d{0,5})$/.exec(key);
  return match && { id: match[1] as string, attempt: Number(match[2]) };
}
