import { readAmountValue } from '../../../money/money.js';
import { wireObjects } from '../../transfer-batch.resource.js';
import { wireObject, wireName, wireText, wireTextOf, type WireObject } from '../../wire-value.js';

/** The name of the collection in the URL of a settlement. */
export const SETTLEMENTS = 'transfer_batch';

/** The account that a settlement went to. A field that the platform did not send is null. @publicApi */
export interface SettlementDestination {
  /** `Bank Account` or `Mobile Wallet`, as the platform wrote it. */
  type: string | null;
  /** The platform's id of the account. */
  reference: string | null;
  /** Of a bank account, as the next four. */
  accountName: string | null;
  accountNumber: string | null;
  /** The platform's id of the bank's branch. An older format has the id of the bank, too: it stays under `raw` of the settlement. */
  bankBranchRef: string | null;
  /** `EFT` or `RTS`. */
  settlementMethod: string | null;
  /** Of a mobile wallet, as the next three. */
  firstName: string | null;
  lastName: string | null;
  phoneNumber: string | null;
  /** Name of the mobile network. */
  network: string | null;
}

/** A transfer of a settlement. A field that the platform did not send is null. @publicApi */
export interface SettlementDisbursement {
  status: string | null;
  /** Decimal string (`"1000.0"`); null when the platform sent no readable amount. */
  amount: string | null;
  /** ISO 8601, as the platform wrote it. */
  originationTime: string | null;
  /** Reference of the transaction. It stays null for some transfers to banks. */
  transactionReference: string | null;
}

/**
 * Money that the platform transferred to an account of the merchant. A field that the platform did not send is null.
 * @see docs/conformance.md#settlements
 * @publicApi
 */
export interface Settlement {
  /** The platform's id of the settlement. */
  id: string | null;
  /** `Transferred`: the money was paid. */
  status: string | null;
  /** Decimal string (`"1000.0"`); null when the platform sent no readable amount. */
  amount: string | null;
  /** ISO 4217 code. */
  currency: string | null;
  /** ISO 8601, as the platform wrote it. */
  originationTime: string | null;
  destination: SettlementDestination | null;
  /** The transfers. Empty in the platform's older format. */
  disbursements: SettlementDisbursement[];
  /** Reference of the transaction in the platform's older format, which has no disbursements. */
  transactionReference: string | null;
  /** The settlement as the platform sent it. */
  raw: Record<string, unknown>;
}

/** @param linkedId the id in the settlement's URL, for a settlement that shows no id itself */
export function readSettlement(raw: WireObject, linkedId: string | null): Settlement {
  return {
    id: wireName(raw['id']) ?? linkedId,
    status: wireText(raw['status']),
    amount: readAmountValue(raw['amount']),
    currency: wireText(raw['currency']),
    originationTime: wireText(raw['origination_time']),
    destination: readDestination(wireObject(raw['destination'])),
    disbursements: (wireObjects(raw['disbursements']) ?? []).map(readDisbursement),
    transactionReference: wireText(raw['transaction_reference']),
    raw,
  };
}

function readDestination(destination: WireObject | null): SettlementDestination | null {
  if (!destination) return null;
  const account = wireObject(destination['resource']) ?? {};
  return {
    type: wireText(destination['type']),
    reference: wireText(account['reference']),
    accountName: wireText(account['account_name']),
    accountNumber: wireText(account['account_number']),
    bankBranchRef: wireTextOf(account, 'bank_branch_ref', 'bank_branch_id'),
    settlementMethod: wireTextOf(account, 'settlement_method', 'transfer_method'),
    firstName: wireText(account['first_name']),
    lastName: wireText(account['last_name']),
    phoneNumber: wireTextOf(account, 'phone_number', 'msisdn'),
    network: wireText(account['network']),
  };
}

function readDisbursement(raw: WireObject): SettlementDisbursement {
  return {
    status: wireText(raw['status']),
    amount: readAmountValue(raw['amount']),
    originationTime: wireText(raw['origination_time']),
    transactionReference: wireText(raw['transaction_reference']),
  };
}
