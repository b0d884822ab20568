import { amountValue, name, readFields, type ShownFields, text, whole } from '../resource-table.js';
import type { WireObject } from '../wire-value.js';

/** The name of the collection in the URL of a merchant transaction. */
export const MERCHANT_TRANSACTIONS = 'payment_batches';

/** @param linkedId the id in the transaction's URL, for a transaction that shows no id itself */
export function readMerchantTransaction(
  raw: WireObject,
  linkedId: string | null,
): MerchantTransaction {
  const transaction = readFields(MERCHANT_TRANSACTION_FIELDS, raw);
  return { ...transaction, id: transaction.id ?? linkedId };
}

const MERCHANT_TRANSACTION_FIELDS = {
  /** The platform's id of the transaction. */
  id: name,
  /** `Received`: the money came. */
  status: text,
  /** Decimal string (`"100.0"`); null when the platform sent no readable amount. */
  amount: amountValue,
  /** ISO 4217 code. */
  currency: text,
  /** ISO 8601, as the platform wrote it. */
  originationTime: text,
  /** Name of the merchant that paid. */
  sendingMerchant: text,
  /** The transaction as the platform sent it. */
  raw: whole,
};

/**
 * Money that another merchant of the platform sent to the company. It has no reference and no till: its id identifies it. A field that
 * the platform did not send is null.
 * @see docs/conformance.md#merchant-transactions
 * @publicApi
 */
export interface MerchantTransaction extends ShownFields<typeof MERCHANT_TRANSACTION_FIELDS> {}
