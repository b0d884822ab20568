import type { Transaction } from './transaction.js';
import type { TotalChange } from './total.js';

/** A transaction at a till, with the webhooks that reported it and the payment it belongs to. @publicApi */
export interface TillTransaction extends Transaction {
  /** Ids of the webhook events that reported it. An SMS notification needs one of them as `webhookEventReference`. */
  webhookEventIds: readonly string[];
  /** Id of our payment that it paid; null when it paid none, or when that is not known. */
  paymentId: string | null;
  /** Id of our payment link that it paid; null when it paid none, or when that is not known. */
  paymentLinkId: string | null;
  /** Whether the platform reported its reversal: the money went back. */
  reversed: boolean;
}

/** One sum of money: the received transaction and its reversal in one record, so that one commit sees both. */
export interface TransactionSum {
  /** All numbers of the till: as observed, and as aliases joined them at that time. The first number is the first observed. */
  readonly tills: readonly string[];
  /** The received transaction; null while only its reversal is known. */
  readonly received: Transaction | null;
  readonly reversal: Transaction | null;
  /** Whether parts of several amounts were reported to have gone back: then nobody knows what is left. */
  readonly hasOtherPart?: boolean;
  readonly webhookEventIds: readonly string[];
  /** Ids of the deliveries of these webhooks, as far as they are stored. */
  readonly webhookDeliveryIds: readonly string[];
  readonly paymentId: string | null;
  readonly paymentLinkId: string | null;
  /** The host's bare request that it paid, by the id in its callback URL; null when there is none. */
  readonly bareId: string | null;
  /** Whether `till.transaction.received` was emitted for it. */
  readonly announced: boolean;
  /** Whether `till.transaction.reversed` was emitted for it. */
  readonly reversalAnnounced: boolean;
  /** When it originated, by the platform; null when the time is unreadable. */
  readonly originatedAt: Date | null;
  readonly currency: string | null;
  /** Amount in minor units, as text; null when unreadable. */
  readonly amountMinor: string | null;
  /** `payerHash` of the payer, of the number or as the platform's own hash; null when it shows neither. */
  readonly payerHash: string | null;
}

/**
 * The `payerHash` of a sum whose payer was read as a number: it cannot be money of anybody else. A hash that the platform sends may be of
 * another form of the number, so it can prove a payer, and rules out none.
 */
export function readPayerOf({ payerHash, received }: TransactionSum): string | null {
  return received?.senderPhoneNumber ? payerHash : null;
}

/**
 * All that is known under one reference of an account. It has one sum, unless the reference was observed at two tills that no
 * alias joins. A change replaces the whole record, by compare-and-set.
 */
export interface TransactionRecord {
  readonly account: string;
  readonly reference: string;
  readonly version: number;
  readonly sums: readonly TransactionSum[];
  readonly createdAt: Date;
  /** Whether its personal data was redacted: nothing that is written of it later names a person. Absent: it was not. */
  readonly redacted?: boolean;
}

/** A change of one transaction record. */
export interface TransactionChange {
  reference: string;
  /** The version that the decision was made on; null when no record existed. */
  version: number | null;
  /** When the record was created; absent when none existed. */
  createdAt?: Date;
  /** Whether the record is redacted, or that of a redacted operation. Absent: neither. */
  redacted?: boolean;
  /** All sums of the record, also those that did not change. */
  sums: readonly TransactionSum[];
  /** What it adds to the kept totals. */
  totals?: readonly TotalChange[];
}

export function toTillTransaction(sum: TransactionSum): TillTransaction | null {
  const transaction = sum.received ?? sum.reversal;
  if (!transaction) return null;
  const { webhookEventIds, paymentId, paymentLinkId } = sum;
  return {
    ...transaction,
    webhookEventIds,
    paymentId,
    paymentLinkId,
    reversed: sum.reversal !== null,
  };
}

/** Id of the operation, or of the host's bare request, that a sum belongs to; null when it belongs to none. */
export function ownerIdOf(sum: TransactionSum): string | null {
  return operationIdOf(sum) ?? sum.bareId;
}

/** Id of the operation that a sum belongs to; null when it belongs to none. */
export function operationIdOf({ paymentId, paymentLinkId }: TransactionSum): string | null {
  return paymentId ?? paymentLinkId;
}

/** The fields of a sum that belongs to an operation. */
export function ownedBy({
  kind,
  id,
}: {
  kind: string;
  id: string;
}): Pick<TransactionSum, 'paymentId' | 'paymentLinkId'> {
  return kind === 'payment_link'
    ? { paymentId: null, paymentLinkId: id }
    : { paymentId: id, paymentLinkId: null };
}
