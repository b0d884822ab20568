import type { ScenarioName } from '../scenarios/scenarios.constants.js';
import type { Transaction } from '../transactions/transactions.store.js';
import type { CreateIncomingPaymentBody } from './create-incoming-payment.dto.js';

/** The statuses of a payment. `Pending` and `Received` are not final. */
export type IncomingPaymentStatus = 'Pending' | 'Received' | 'Success' | 'Failed';

/** A payment request that the platform has accepted. */
export interface IncomingPayment {
  readonly id: string;
  readonly request: CreateIncomingPaymentBody;
  readonly scenario: ScenarioName;
  readonly initiatedAt: number;
  status: IncomingPaymentStatus;
  errors: string[] | null;
  /** The transaction that the platform sends. */
  result: Transaction | null;
  /** The transaction that really happened. After a wrong `Failed` it differs from `result`. */
  money: Transaction | null;
}

/** The true outcome of one payment request. */
export interface Charge {
  readonly paymentId: string;
  readonly phone: string;
  readonly tillNumber: string;
  readonly amount: number;
  readonly currency: string;
  readonly callbackUrl: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly scenario: ScenarioName;
  /** The status that the platform sends. */
  readonly status: IncomingPaymentStatus;
  /** True when the customer's money really moved. */
  readonly charged: boolean;
  /** The reference of the transaction; null if no money has moved. */
  readonly reference: string | null;
  readonly reversed: boolean;
  readonly errors: readonly string[] | null;
  /** ISO 8601. */
  readonly initiatedAt: string;
}

/** True when the payment has no final status. */
export function isOpenPayment({ status }: IncomingPayment): boolean {
  return status === 'Pending' || status === 'Received';
}

export function chargeOf(payment: IncomingPayment): Charge {
  const { request, money } = payment;
  return {
    paymentId: payment.id,
    phone: request.subscriber.phone_number,
    tillNumber: request.till_number,
    amount: request.amount.value,
    currency: request.amount.currency,
    callbackUrl: request._links.callback_url,
    metadata: request.metadata ?? {},
    scenario: payment.scenario,
    status: payment.status,
    charged: money !== null,
    reference: money?.reference ?? null,
    reversed: money?.reversed ?? false,
    errors: payment.errors,
    initiatedAt: new Date(payment.initiatedAt).toISOString(),
  };
}
