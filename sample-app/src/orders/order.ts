import { createHash } from 'node:crypto';
import type { Amount, Payment } from '@tillkit/payments';

/** What a customer wants to buy. Whether it is paid, its payments say. */
export interface Order {
  /** Also the secret part of the page's address. */
  readonly id: string;
  /** What people call it. */
  readonly number: number;
  readonly goods: string;
  readonly price: Amount;
  readonly customer: string;
  /** As the customer wrote it last. */
  readonly phone: string;
  /** Payments asked for: one, and one more for each retry. */
  readonly attempts: number;
}

/** The same form sent twice is the same order. A form that the customer has changed is another one. */
export function orderId(ticket: string, goodsId: string, name: string, phone: string): string {
  const text = JSON.stringify([ticket, goodsId, name, phone]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Each attempt is a payment of its own, with its own idempotency key: a repeated key never prompts again. */
export function attemptKey({ number }: Order, attempt: number): string {
  return `order-${number}-${attempt}`;
}

/**
 * The payment that decides where an order stands, of the payments of its attempts, oldest first. Money that came, or may
 * have come, counts more than a later attempt.
 */
export function decidingPayment(payments: readonly Payment[]): Payment | undefined {
  return (
    payments.find(({ state }) => state === 'succeeded') ??
    payments.find(({ state }) => state === 'needs_review') ??
    payments.at(-1)
  );
}
