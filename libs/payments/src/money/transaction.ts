import type { Amount } from './money.js';
import type { TotalChange } from './total.js';

/**
 * Says who reported what is known of a transaction. `till`: a webhook or a list of its till. `operation`: a result or a status read of the
 * operation that it paid. `request`: only its reference was reported, and amount and till are what we had asked for; they are no evidence.
 * @publicApi
 */
export type Provenance = 'till' | 'operation' | 'request';

/**
 * A transaction: money that the platform says moved. A field that the platform did not send is null.
 * @see docs/conformance.md#transactions
 * @publicApi
 */
export interface Transaction {
  /** Says who reported it, and so what its amount and its till prove. */
  provenance: Provenance;
  /** The platform's id of the transaction. */
  id: string | null;
  /** Kind of transaction: `Buygoods Transaction`, `External Till to Till Transaction`, ... */
  type: string | null;
  /** Says how the money came: from a customer, from another till, or from a card; null when neither topic nor type says it. */
  kind: 'buygoods' | 'b2b' | 'card' | null;
  /** Decimal string (`"100.0"`); null when the platform sent no readable amount. */
  amount: string | null;
  /** ISO 4217 code. */
  currency: string | null;
  /**
   * `Received` or `Complete`: the money came. `Reversed` or `Voided`: it went back. Any other status proves nothing, unless
   * `deliveries.acceptedStatuses` has it.
   */
  status: string | null;
  /** Name of the payment system. */
  system: string | null;
  /** Reference of the transaction. With the till it identifies the money. */
  reference: string | null;
  /** Till number as the platform wrote it; it may be an alias. */
  tillNumber: string | null;
  /** ISO 8601; null when the platform sent no time that names an instant. */
  originationTime: string | null;
  senderFirstName: string | null;
  senderMiddleName: string | null;
  senderLastName: string | null;
  senderPhoneNumber: string | null;
  /** sha256 of the digits of the payer's number, in hex, if the platform sends a hash. */
  hashedSenderPhone: string | null;
  /** Name of the sending till of a till-to-till transaction. */
  sendingTill: string | null;
  /** At most the last four digits of the card that paid. We keep no more of it, also not under `raw`. */
  cardNumber: string | null;
  /** True when the money of a card was settled; null when the platform does not say it. */
  settled: boolean | null;
  /** The transaction as the platform sent it, except for a card number. */
  raw: Record<string, unknown>;
}

/** A transaction with a reference. @publicApi */
export interface NamedTransaction extends Transaction {
  /** Reference of the transaction. With the till it identifies the money. */
  reference: string;
}

/**
 * The transaction of a payment that succeeded. If a person decided so, a field that the platform did not show has what the
 * person named (the reference) or what was requested (amount, currency); `raw` stays as the platform sent it.
 * @publicApi
 */
export interface PaidTransaction extends NamedTransaction {
  /** Decimal string (`"100.0"`). */
  amount: string;
  /** ISO 4217 code. */
  currency: string;
}

/** Returns a transaction of which only the reference is known. Till and amount are those of the request. */
export function referenceOnly(
  { currency, value }: Amount,
  tillNumber: string | null,
  reference: string,
): PaidTransaction {
  return {
    provenance: 'request',
    id: null,
    type: null,
    kind: null,
    amount: value,
    currency,
    status: null,
    system: null,
    reference,
    tillNumber,
    originationTime: null,
    senderFirstName: null,
    senderMiddleName: null,
    senderLastName: null,
    senderPhoneNumber: null,
    hashedSenderPhone: null,
    sendingTill: null,
    cardNumber: null,
    settled: null,
    raw: {},
  };
}

/** False when nobody has reported the amount of a transaction: it is what we had asked for. */
export function isEvidenced({ provenance }: Transaction): boolean {
  return provenance !== 'request';
}

export function hasReference(transaction: Transaction | null): transaction is NamedTransaction {
  return transaction !== null && transaction.reference !== null;
}

/**
 * Says what the status of a transaction proves, in letters of any case: `received`: the money came; `reversed`: it went back; null:
 * nothing.
 */
export function movementOf(status: string | null): 'received' | 'reversed' | null {
  const word = status?.toLowerCase();
  if (word === 'received' || word === 'complete') return 'received';
  return word === 'reversed' || word === 'voided' ? 'reversed' : null;
}

/** A transaction at a till, with the webhooks that reported it and the payment it belongs to. @publicApi */
export interface TillTransaction extends Transaction {
  /** Ids of the webhook events that reported it. An SMS notification needs one of them as `webhookEventReference`. */
  webhookEventIds: readonly string[];
  /** Id of our payment that it paid; null when it paid none, or when that is not known. */
  paymentId: string | null;
  /** Id of our payment link that it paid; null when it paid none, or when that is not known. */
  paymentLinkId: string | null;
  /** True when the platform reported its reversal: the money went back. */
  reversed: boolean;
}

/** One sum of money: the received transaction and its reversal in one record, so that one commit sees both. */
export interface TransactionSum {
  /** All numbers of the till: as observed, and as aliases joined them at that time. The first number is the first observed. */
  readonly tills: readonly string[];
  /** The received transaction; null while only its reversal is known. */
  readonly received: Transaction | null;
  readonly reversal: Transaction | null;
  /** True when parts of several amounts were reported to have gone back, so that nobody knows what is left. */
  readonly hasOtherPart?: boolean;
  readonly webhookEventIds: readonly string[];
  /** Ids of the deliveries of these webhooks, as far as they are stored. */
  readonly webhookDeliveryIds: readonly string[];
  readonly paymentId: string | null;
  readonly paymentLinkId: string | null;
  /** The host's bare request that it paid, by the id in its callback URL; null when there is none. */
  readonly bareId: string | null;
  /** True when `till.transaction.received` was emitted for it. */
  readonly announced: boolean;
  /** True when `till.transaction.reversed` was emitted for it. */
  readonly reversalAnnounced: boolean;
  /** The time when it originated, by the platform; null when the time is unreadable. */
  readonly originatedAt: Date | null;
  readonly currency: string | null;
  /** Amount in minor units, as text; null when unreadable. */
  readonly amountMinor: string | null;
  /** `payerHash` of the payer, of the number or as the platform's own hash; null when it shows neither. */
  readonly payerHash: string | null;
}

/**
 * Returns the `payerHash` of a sum whose payer was read as a number, so it cannot be money of anybody else. A hash that the platform sends may be of
 * another form of the number: it can prove a payer, but it excludes none.
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
  /** True when its personal data was redacted: nothing that is written of it later names a person. Absent: it was not. */
  readonly redacted?: boolean;
}

export interface TransactionChange {
  reference: string;
  /** The version that the decision was made on; null when no record existed. */
  version: number | null;
  /** The time when the record was created; absent when none existed. */
  createdAt?: Date;
  /** True when the record is redacted, or its operation is. Absent: neither is. */
  redacted?: boolean;
  /** All sums of the record, also those that did not change. */
  sums: readonly TransactionSum[];
  /** The changes that it adds to the kept totals. */
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

/** Returns the id of the operation, or of the host's bare request, that a sum belongs to; null when it belongs to none. */
export function ownerIdOf(sum: TransactionSum): string | null {
  return operationIdOf(sum) ?? sum.bareId;
}

/** Returns the id of the operation that a sum belongs to; null when it belongs to none. */
export function operationIdOf({ paymentId, paymentLinkId }: TransactionSum): string | null {
  return paymentId ?? paymentLinkId;
}

/** Returns the fields of a sum that belongs to an operation. */
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
