import type { ResourceEnvelope } from '../../../money/resource-envelope.js';
import { wireText, wireTextOf } from '../../wire-value.js';

export const MERCHANT_BANK_ACCOUNT_TYPE = 'merchant_bank_account';

/**
 * A bank account of the merchant as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#merchant-bank-accounts
 * @publicApi
 */
export interface MerchantBankAccount {
  id: string;
  /** `Approved`, or another status. */
  status: string | null;
  /** What a destination names as `reference`. `Unavailable`: only the platform's own dashboard shows it. */
  accountReference: string | null;
  accountName: string | null;
  accountNumber: string | null;
  bankBranchRef: string | null;
  settlementMethod: string | null;
  nickname: string | null;
  /** The resource as the platform sent it. */
  raw: Record<string, unknown>;
}

export function readMerchantBankAccount({
  id,
  attributes,
  raw,
}: ResourceEnvelope): MerchantBankAccount {
  return {
    id,
    status: wireText(attributes['status']),
    accountReference: wireText(attributes['account_reference']),
    accountName: wireText(attributes['account_name']),
    accountNumber: wireText(attributes['account_number']),
    bankBranchRef: wireTextOf(attributes, 'bank_branch_ref', 'bank_branch_id'),
    settlementMethod: wireTextOf(attributes, 'settlement_method', 'transfer_method'),
    nickname: wireText(attributes['nickname']),
    raw,
  };
}
