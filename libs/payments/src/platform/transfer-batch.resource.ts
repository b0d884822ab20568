import { sumInMinorUnits, toMinorUnits, type Amount } from '../money/money.js';
import {
  amountValue,
  type Fields,
  flag,
  list,
  listOrNull,
  reference,
  type ShownFields,
  text,
  texts,
  whole,
  type WithResult,
} from './resource-table.js';
import { readAmount, wireObject } from './wire-value.js';

export const DESTINATION_FIELDS = {
  phoneNumber: text,
  /** Name of the mobile network. */
  network: text,
  accountNumber: text,
  accountName: text,
  /** The platform's id of the bank's branch. */
  bankBranchRef: text,
  tillNumber: text,
  paybillNumber: text,
  paybillAccountNumber: text,
  nickname: text,
  favourite: flag,
};

/** A destination of money, as the platform shows it. A field that the platform did not send is null. @publicApi */
export interface ShownDestination extends ShownFields<typeof DESTINATION_FIELDS> {}

const DISBURSEMENT_FIELDS = {
  /** `Transferred` without errors: the money was paid. `Cancelled`: it was not. Any other status is not final. */
  status: text,
  /** Decimal string (`"1000.0"`); null when the platform sent no readable amount. */
  amount: amountValue,
  /** The platform's error messages; empty when it sent none. */
  errors: texts,
  /** Type of the destination as the platform wrote it: `mobile_wallet` or `Mobile Wallet`. */
  destinationType: text,
  /** The platform's id of the destination. */
  destinationReference: text,
  /** Reference of the transaction. It stays null for some transfers to banks. */
  transactionReference: reference,
  /** ISO 8601, as the platform wrote it. */
  originationTime: text,
  /** The disbursement as the platform sent it. */
  raw: whole,
};

/**
 * A transfer of money to one destination. A field that the platform did not send is null.
 * @see docs/conformance.md#send-money
 * @publicApi
 */
export interface Disbursement extends ShownDestination, ShownFields<typeof DISBURSEMENT_FIELDS> {}

const BATCH_FIELDS = {
  status: text,
  /** Decimal string (`"1000.0"`); null when the platform sent no readable amount. */
  amount: amountValue,
  disbursements: list<Disbursement>({ ...DESTINATION_FIELDS, ...DISBURSEMENT_FIELDS }),
  /** The platform's error messages; empty when it sent none. */
  errors: texts,
};

/**
 * Transfers that the platform makes together. The order of the batches is not the order of the destinations.
 * @see docs/conformance.md#send-money
 * @publicApi
 */
export interface TransferBatch extends ShownFields<typeof BATCH_FIELDS> {}

export const transferBatches = listOrNull<TransferBatch>(BATCH_FIELDS);

export const TRANSFER_FIELDS = {
  /** `Processed` says that the platform handled the request, not that it paid: read the disbursements of the batches. */
  status: text,
  /** ISO 8601, as the platform wrote it. */
  createdAt: text,
  /** Null when all funds were transferred, and when the platform sent no readable amount with a currency. */
  amount: (wire): Amount | null => {
    const amount = wireObject(wire['amount']);
    return readAmount(amount?.['currency'], amount?.['value']);
  },
  /** A batch can hold several disbursements and has no amount of its own; null until the platform made them. */
  transferBatches,
  /** The platform's error messages; empty when it sent none. */
  errors: texts,
} satisfies Fields;

/** Money that leaves by the older interface of the platform. A field that the platform did not send is null. @publicApi */
export interface Transfer extends WithResult, ShownFields<typeof TRANSFER_FIELDS> {}

/** True when a transfer is over: the money was paid, or it was not. A word that we do not know is not final. */
export function isDisbursed({ status }: { status: string | null }): boolean {
  return status === 'Transferred' || status === 'Cancelled';
}

/**
 * True when all transfers are over. The platform makes batches one after another, so each must have disbursements.
 * @param destinations how many destinations were requested; each has a disbursement
 */
export function areDisbursed(batches: readonly TransferBatch[] | null, destinations = 1): boolean {
  if (!batches?.every((batch) => batch.disbursements.length > 0)) return false;
  const all = batches.flatMap(({ disbursements }) => disbursements);
  return all.length >= Math.max(destinations, 1) && all.every(isDisbursed);
}

/** True when a transfer is over, and its disbursements together are the requested amount: the platform may make more of them later. */
export function isTransferOver({ amount, transferBatches }: Transfer): boolean {
  if (!areDisbursed(transferBatches)) return false;
  if (amount === null) return true;
  const wanted = toMinorUnits(amount.value, amount.currency);
  const shown = (transferBatches ?? []).flatMap(({ disbursements }) => disbursements);
  const paid = sumInMinorUnits(shown, amount.currency);
  // An amount that is absent or unreadable says nothing about what is missing.
  return wanted === null || paid === null || paid >= wanted;
}
