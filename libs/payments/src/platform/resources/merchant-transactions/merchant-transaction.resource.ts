import { readAmountValue } from '../../../money/money.js';
import { wireName, wireText, type WireObject } from '../../wire-value.js';

/** The name of the collection in the URL of a merchant transaction. */
export const MERCHANT_TRANSACTIONS = 'payment_batches';

/**
 * Money that another merchant of the platform sent to the company. It has no reference and no till: its id identifies it. A field that
 * the platform did not send is null.
 * @see docs/conformance.md#merchant-transactions
 * @publicApi
 */
export interface MerchantTransaction {
  /** The platform's id of the transaction. */
  id: string | null;
  /** `Received`: the money came. */
  status: string | null;
  /** Decimal string (`"100.0"`); null when the platform sent no readable amount. */
  amount: string | null;
  /** ISO 4217 code. */
  currency: string | null;
  /** ISO 8601, as the platform wrote it. */
  originationTime: string | null;
  /** Name of the merchant that paid. */
  sendingMerchant: string | null;
  /** The transaction as the platform sent it. */
  raw: Record<string, unknown>;
}

/** @param linkedId the id in the transaction's URL, for a transaction that shows no id itself */
export function readMerchantTransaction(
  raw: WireObject,
  linkedId: string | null,
): MerchantTransaction {
  return {
    id: wireName(raw['id']) ?? linkedId,
    status: wireText(raw['status']),
    amount: readAmountValue(raw['amount']),
    currency: wireText(raw['currency']),
    originationTime: wireText(raw['origination_time']),
    sendingMerchant: wireText(raw['sending_merchant']),
    raw,
  };
}
