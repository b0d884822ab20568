import {
  amountValue,
  type Fields,
  list,
  name,
  readFields,
  type ShownFields,
  text,
  textOr,
  whole,
} from '../resource-table.js';
import { wireObject, type WireObject, wireText } from '../wire-value.js';

/** The name of the collection in the URL of a settlement. */
export const SETTLEMENTS = 'transfer_batch';

/** @param linkedId the id in the settlement's URL, for a settlement that shows no id itself */
export function readSettlement(raw: WireObject, linkedId: string | null): Settlement {
  const settlement = readFields(SETTLEMENT_FIELDS, raw);
  return { ...settlement, id: settlement.id ?? linkedId };
}

const ACCOUNT_FIELDS = {
  /** The platform's id of the account. */
  reference: text,
  /** Only a bank account has this field and the next four. */
  accountName: text,
  accountNumber: text,
  /** The platform's id of the bank's branch. An older format has the id of the bank, too: it stays under `raw` of the settlement. */
  bankBranchRef: textOr('bank_branch_id'),
  /** `EFT` or `RTS`. */
  settlementMethod: textOr('transfer_method'),
  /** Only a mobile wallet has this field and the next three. */
  firstName: text,
  lastName: text,
  phoneNumber: textOr('msisdn'),
  /** Name of the mobile network. */
  network: text,
};

/** The account that a settlement went to. A field that the platform did not send is null. @publicApi */
export interface SettlementDestination extends ShownFields<typeof ACCOUNT_FIELDS> {
  /** `Bank Account` or `Mobile Wallet`, as the platform wrote it. */
  type: string | null;
}

const DISBURSEMENT_FIELDS = {
  status: text,
  /** Decimal string (`"1000.0"`); null when the platform sent no readable amount. */
  amount: amountValue,
  /** ISO 8601, as the platform wrote it. */
  originationTime: text,
  /** Reference of the transaction. It stays null for some transfers to banks. */
  transactionReference: text,
};

/** A transfer of a settlement. A field that the platform did not send is null. @publicApi */
export interface SettlementDisbursement extends ShownFields<typeof DISBURSEMENT_FIELDS> {}

const SETTLEMENT_FIELDS = {
  /** The platform's id of the settlement. */
  id: name,
  /** `Transferred`: the money was paid. */
  status: text,
  /** Decimal string (`"1000.0"`); null when the platform sent no readable amount. */
  amount: amountValue,
  /** ISO 4217 code. */
  currency: text,
  /** ISO 8601, as the platform wrote it. */
  originationTime: text,
  destination: (wire): SettlementDestination | null => {
    const destination = wireObject(wire['destination']);
    if (!destination) return null;
    const account = readFields(ACCOUNT_FIELDS, wireObject(destination['resource']) ?? {});
    return { type: wireText(destination['type']), ...account };
  },
  /** The transfers. Empty in the platform's older format. */
  disbursements: list<SettlementDisbursement>(DISBURSEMENT_FIELDS),
  /** Reference of the transaction in the platform's older format, which has no disbursements. */
  transactionReference: text,
  /** The settlement as the platform sent it. */
  raw: whole,
} satisfies Fields;

/**
 * Money that the platform transferred to an account of the merchant. A field that the platform did not send is null.
 * @see docs/conformance.md#settlements
 * @publicApi
 */
export interface Settlement extends ShownFields<typeof SETTLEMENT_FIELDS> {}
