import { readAmountValue, sumInMinorUnits, toMinorUnits, type Amount } from '../money/money.js';
import type { ResourceEnvelope } from '../money/resource-envelope.js';
import { readAmount, wireObject, wireText, wireTexts, type WireObject } from './wire-value.js';

/** Where money goes, as the platform shows it. A field that the platform did not send is null. @publicApi */
export interface ShownDestination {
  phoneNumber: string | null;
  /** Name of the mobile network. */
  network: string | null;
  accountNumber: string | null;
  accountName: string | null;
  /** The platform's id of the bank's branch. */
  bankBranchRef: string | null;
  tillNumber: string | null;
  paybillNumber: string | null;
  paybillAccountNumber: string | null;
  nickname: string | null;
  favourite: boolean | null;
}

/**
 * A transfer of money to one destination. A field that the platform did not send is null.
 * @see docs/conformance.md#send-money
 * @publicApi
 */
export interface Disbursement extends ShownDestination {
  /** `Transferred` without errors: the money was paid. `Cancelled`: it was not. Any other status is not final. */
  status: string | null;
  /** Decimal string (`"1000.0"`); null when the platform sent no readable amount. */
  amount: string | null;
  /** The platform's error messages; empty when it sent none. */
  errors: string[];
  /** Type of the destination as the platform wrote it: `mobile_wallet` or `Mobile Wallet`. */
  destinationType: string | null;
  /** The platform's id of the destination. */
  destinationReference: string | null;
  /** Reference of the transaction. It stays null for some transfers to banks. */
  transactionReference: string | null;
  /** ISO 8601, as the platform wrote it. */
  originationTime: string | null;
  /** The disbursement as the platform sent it. */
  raw: Record<string, unknown>;
}

/**
 * Transfers that the platform makes together. The order of the batches is not the order of the destinations.
 * @see docs/conformance.md#send-money
 * @publicApi
 */
export interface TransferBatch {
  status: string | null;
  /** Decimal string (`"1000.0"`); null when the platform sent no readable amount. */
  amount: string | null;
  disbursements: Disbursement[];
  /** The platform's error messages; empty when it sent none. */
  errors: string[];
}

/** Money that leaves by the older interface of the platform. A field that the platform did not send is null. @publicApi */
export interface Transfer {
  id: string;
  /** `Processed` says that the platform handled the request, not that it paid: read the disbursements of the batches. */
  status: string | null;
  /** ISO 8601, as the platform wrote it. */
  createdAt: string | null;
  /** Null when all funds were transferred, and when the platform sent no readable amount with a currency. */
  amount: Amount | null;
  /** A batch can hold several disbursements and has no amount of its own; null until the platform made them. */
  transferBatches: TransferBatch[] | null;
  /** The platform's error messages; empty when it sent none. */
  errors: string[];
  /** `callbackUrl` has its MAC replaced by a hash, because the MAC is a secret. */
  links: { callbackUrl: string | null; self: string | null };
  /** The resource as the platform sent it, except for the MAC in its callback URL. */
  raw: Record<string, unknown>;
}

export function readTransfer({ id, attributes, links, raw }: ResourceEnvelope): Transfer {
  const amount = wireObject(attributes['amount']);
  return {
    id,
    status: wireText(attributes['status']),
    createdAt: wireText(attributes['created_at']),
    amount: readAmount(amount?.['currency'], amount?.['value']),
    transferBatches: readTransferBatches(attributes['transfer_batches']),
    errors: wireTexts(attributes['errors']),
    links,
    raw,
  };
}

/** Reads batches; null when there are none yet. An entry that is no object is left out; it stays under `raw` of the resource. */
export function readTransferBatches(wire: unknown): TransferBatch[] | null {
  return (
    wireObjects(wire)?.map((batch) => ({
      status: wireText(batch['status']),
      amount: readAmountValue(batch['amount']),
      disbursements: (wireObjects(batch['disbursements']) ?? []).map(readDisbursement),
      errors: wireTexts(batch['errors']),
    })) ?? null
  );
}

/** Whether a transfer is over: the money was paid, or it was not. Any word that we do not know is not final. */
export function isDisbursed({ status }: { status: string | null }): boolean {
  return status === 'Transferred' || status === 'Cancelled';
}

/**
 * Whether all transfers are over. The platform makes batches one after another, so each must have disbursements.
 * @param destinations how many destinations were requested; each has a disbursement
 */
export function areDisbursed(batches: readonly TransferBatch[] | null, destinations = 1): boolean {
  if (!batches?.every((batch) => batch.disbursements.length > 0)) return false;
  const all = batches.flatMap(({ disbursements }) => disbursements);
  return all.length >= Math.max(destinations, 1) && all.every(isDisbursed);
}

/** Whether a transfer is over, and its disbursements together are the requested amount: the platform may make more of them later. */
export function isTransferOver({ amount, transferBatches }: Transfer): boolean {
  if (!areDisbursed(transferBatches)) return false;
  if (amount === null) return true;
  const wanted = toMinorUnits(amount.value, amount.currency);
  const shown = (transferBatches ?? []).flatMap(({ disbursements }) => disbursements);
  const paid = sumInMinorUnits(shown, amount.currency);
  // An amount that is absent or unreadable says nothing about what is missing.
  return wanted === null || paid === null || paid >= wanted;
}

/** The objects of a list; null when the value is no list. */
export function wireObjects(value: unknown): WireObject[] | null {
  return Array.isArray(value) ? value.map(wireObject).filter((item) => item !== null) : null;
}

export function readShownDestination(raw: WireObject): ShownDestination {
  const { favourite } = raw;
  return {
    phoneNumber: wireText(raw['phone_number']),
    network: wireText(raw['network']),
    accountNumber: wireText(raw['account_number']),
    accountName: wireText(raw['account_name']),
    bankBranchRef: wireText(raw['bank_branch_ref']),
    tillNumber: wireText(raw['till_number']),
    paybillNumber: wireText(raw['paybill_number']),
    paybillAccountNumber: wireText(raw['paybill_account_number']),
    nickname: wireText(raw['nickname']),
    favourite: typeof favourite === 'boolean' ? favourite : null,
  };
}

function readDisbursement(raw: WireObject): Disbursement {
  return {
    status: wireText(raw['status']),
    amount: readAmountValue(raw['amount']),
    errors: wireTexts(raw['errors']),
    destinationType: wireText(raw['destination_type']),
    destinationReference: wireText(raw['destination_reference']),
    transactionReference: wireText(raw['transaction_reference'])?.trim() || null,
    originationTime: wireText(raw['origination_time']),
    ...readShownDestination(raw),
    raw,
  };
}
