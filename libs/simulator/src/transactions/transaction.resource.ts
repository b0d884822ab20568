import { amountText } from '../values/amount.js';
import { hashedPhone } from '../values/phone-number.js';
import { timestamp } from '../values/timestamp.js';
import type { Transaction } from './transactions.store.js';

/** A JSON object that the platform sends. */
export type WireObject = Record<string, unknown>;

/** Returns the resource of a transaction. */
export function transactionResource(transaction: Transaction, numberAmounts = false): WireObject {
  const { amount } = transaction;
  const shared = {
    id: transaction.id,
    amount: numberAmounts ? amount : amountText(amount),
    status: statusOf(transaction),
    system: transaction.system,
    currency: transaction.currency,
    reference: transaction.reference,
    till_number: transaction.tillNumber,
    origination_time: timestamp(transaction.originatedAt),
  };
  if (transaction.kind === 'till-to-till')
    return { ...shared, sending_till: transaction.sendingTill };
  return {
    ...shared,
    sender_first_name: transaction.firstName,
    sender_middle_name: transaction.middleName,
    sender_last_name: transaction.lastName,
    sender_phone_number: transaction.phoneNumber,
  };
}

/** Returns the `type` of the transaction in a polling result and in a webhook. */
export function transactionType(transaction: Transaction): string {
  return transaction.kind === 'buygoods'
    ? 'Buygoods Transaction'
    : 'External Till to Till Transaction';
}

/** Returns the resource of a transaction in a webhook, with the hash of the phone number. */
export function webhookTransactionResource(
  transaction: Transaction,
  numberAmounts = false,
): WireObject {
  const resource = transactionResource(transaction, numberAmounts);
  if (transaction.kind === 'till-to-till') return resource;
  return { ...resource, hashed_sender_phone: hashedPhone(transaction.phoneNumber) };
}

/** Returns the resource of a transaction as the result of a payment: `Received`, even if it was reversed later. */
export function paymentTransactionResource(
  transaction: Transaction,
  numberAmounts = false,
): WireObject {
  return { ...transactionResource(transaction, numberAmounts), status: 'Received' };
}

/** Returns the resource of the customer who paid, in the webhook `customer_created`. */
export function customerResource(transaction: Transaction): WireObject {
  return {
    first_name: transaction.firstName,
    middle_name: transaction.middleName,
    last_name: transaction.lastName,
    phone_number: transaction.phoneNumber,
  };
}

/** Returns the resource of money that went to an own account, in the webhook `settlement_transfer_completed`. */
export function settlementResource(settlement: {
  readonly id: unknown;
  readonly type: 'Mobile Wallet' | 'Bank Account';
  /** The reference and the fields of the account. */
  readonly destination: WireObject;
  readonly amount: string;
  readonly reference: string | null;
  readonly now: number;
}): WireObject {
  const { id, type, destination, amount, reference, now } = settlement;
  const shared = { amount, status: 'Transferred', origination_time: timestamp(now) };
  return {
    id,
    ...shared,
    currency: 'KES',
    destination: { type, resource: destination },
    disbursements: [{ ...shared, transaction_reference: reference }],
  };
}

function statusOf(transaction: Transaction): string {
  if (transaction.reversed) return 'Reversed';
  return transaction.kind === 'buygoods' ? 'Received' : 'Complete';
}
