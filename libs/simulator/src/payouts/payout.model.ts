import type { AccountName } from '../balances/account-name.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import type { Transaction } from '../transactions/transactions.store.js';
import { majorUnits, OWN_CURRENCY } from '../values/amount.js';
import type { Destination, DestinationType } from './destination.model.js';
import type { PayoutScenarioName } from './payout-scenarios.constants.js';

/** The requests that send money out. */
export type PayoutResource = 'send_money' | 'payments' | 'settlement_transfers';

/** The statuses of a payout request. `Processed` means handled, not paid. */
export type PayoutStatus = 'Received' | 'Scheduled' | 'Processed';

/** The request of a route. */
export interface PayoutOrder {
  readonly resource: PayoutResource;
  /** The body of the create. */
  readonly request: WireObject;
  readonly callbackUrl: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The account that pays. */
  readonly source: AccountName;
  readonly tillNumber: string;
  /** The destinations with amounts in minor units; an amount of null is everything that is available. */
  readonly asked: readonly { destination: Destination; amount: number | null }[];
}

/** The part of a payout for one destination. */
export interface Disbursement {
  readonly destination: Destination;
  readonly scenario: PayoutScenarioName;
  /** The amount is in minor units; null for a sweep that is not scheduled yet. */
  amount: number | null;
  /** The status that the platform reports. */
  status: string;
  errors: string[] | null;
  originatedAt: number;
  /** True when its amount is reserved on the account that pays. */
  isReserved: boolean;
  /** True when the money has really moved. */
  isPaid: boolean;
  reference: string | null;
  /** The transaction of a till of the platform that received the money; null for other destinations, and before. */
  received: Transaction | null;
}

/** A request that sends money out. */
export interface PayoutRequest {
  readonly id: string;
  readonly order: PayoutOrder;
  readonly createdAt: number;
  /** The disbursements are in the order of the request. */
  readonly disbursements: readonly Disbursement[];
  /** The same disbursements in the order in which the platform lists and finishes them; null until scheduled. */
  batches: readonly Disbursement[] | null;
  status: PayoutStatus;
}

/** The real payment to one destination. */
export interface PayoutDestination {
  readonly type: DestinationType;
  /** The phone number with +, account number, till number, or account number at the paybill. */
  readonly number: string;
  /** The reference of the recipient or own account. */
  readonly destinationReference: string;
  /** The amount is in units of the currency; null for a sweep that is not scheduled yet. */
  readonly amount: number | null;
  readonly scenario: PayoutScenarioName;
  /** The status that the platform reports. */
  readonly status: string;
  readonly errors: readonly string[] | null;
  /** True when the money has really moved. */
  readonly paid: boolean;
  /** The reference of the transfer; null if no money has moved. */
  readonly reference: string | null;
}

/** The truth about one request that sent money out. */
export interface Payout {
  readonly payoutId: string;
  readonly resource: PayoutResource;
  readonly callbackUrl: string;
  /** The till that pays. */
  readonly tillNumber: string;
  readonly currency: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** True when the request asked for all funds of the till. */
  readonly sweep: boolean;
  /** The status that the platform reports. */
  readonly status: PayoutStatus;
  /** The destinations are in the order of the request. */
  readonly destinations: readonly PayoutDestination[];
  /** ISO 8601. */
  readonly createdAt: string;
}

/** True when a part of the payout is not finished. */
export function isOpenPayout({ disbursements }: PayoutRequest): boolean {
  return disbursements.some(({ status }) => status === 'Pending' || status === 'Processing');
}

export function payoutOf(payout: PayoutRequest): Payout {
  const { id, order, status, disbursements, createdAt } = payout;
  return {
    payoutId: id,
    resource: order.resource,
    callbackUrl: order.callbackUrl,
    tillNumber: order.tillNumber,
    currency: OWN_CURRENCY,
    metadata: order.metadata,
    sweep: order.asked.some(({ amount }) => amount === null),
    status,
    destinations: disbursements.map(payoutDestinationOf),
    createdAt: new Date(createdAt).toISOString(),
  };
}

function payoutDestinationOf({ destination, amount, ...rest }: Disbursement): PayoutDestination {
  return {
    type: destination.type,
    number: destination.number,
    destinationReference: destination.reference,
    amount: amount === null ? null : majorUnits(amount, OWN_CURRENCY),
    scenario: rest.scenario,
    status: rest.status,
    errors: rest.errors,
    paid: rest.isPaid,
    reference: rest.reference,
  };
}
