import { createHash } from 'node:crypto';
import type { Amount, Payment } from '@tillkit/payments';

/** An order of a customer. Its payments decide whether it is paid. */
export interface Order {
  /** Also the secret part of the order page's address. */
  readonly id: string;
  /** The order number for people. */
  readonly number: number;
  readonly goods: string;
  readonly price: Amount;
  readonly customer: string;
  /** The customer's latest input. */
  readonly phone: string;
  /** The number of payments: one, and one more for each retry. */
  readonly attempts: number;
}

/** The id of an order. The same form has the same id; a changed form has another one. */
export function orderId(ticket: string, goodsId: string, name: string, phone: string): string {
  const text = JSON.stringify([ticket, goodsId, name, phone]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The idempotency key of an attempt. Each attempt is a separate payment; a repeated key never prompts again. */
export function attemptKey({ number }: Order, attempt: number): string {
  return `order-${number}-${attempt}`;
}

/**
 * The payment that decides the state of an order. A payment that succeeded or is in review has priority over a later attempt.
 * @param payments the payments of all attempts, oldest first
 */
export function decidingPayment(payments: readonly Payment[]): Payment | undefined {
  return (
    payments.find(({ state }) => state === 'succeeded') ??
    payments.find(({ state }) => state === 'needs_review') ??
    payments.at(-1)
  );
}
