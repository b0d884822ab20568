import type { Amount } from './money.js';

/**
 * Who said what is known of a transaction. `till`: a webhook or a list of its till. `operation`: a result or a status read of the operation
 * that it paid. `request`: only its reference was said, and amount and till are what we had asked for; they are no evidence.
 * @publicApi
 */
export type Provenance = 'till' | 'operation' | 'request';

/**
 * A transaction: money that the platform says moved. A field that the platform did not send is null.
 * @see docs/conformance.md#transactions
 * @publicApi
 */
export interface Transaction {
  /** Who said it, and so what its amount and its till prove. */
  provenance: Provenance;
  /** The platform's id of the transaction. */
  id: string | null;
  /** Kind of transaction: `Buygoods Transaction`, `External Till to Till Transaction`, ... */
  type: string | null;
  /** How the money came: from a customer, from another till, or from a card; null when neither topic nor type says it. */
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
  /** Whether the money of a card was settled. */
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

/** A transaction of which only the reference is known. Till and amount are those of the request. */
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

/** Whether somebody has said the amount of a transaction. */
export function isEvidenced({ provenance }: Transaction): boolean {
  return provenance !== 'request';
}

export function hasReference(transaction: Transaction | null): transaction is NamedTransaction {
  return transaction !== null && transaction.reference !== null;
}

/**
 * What the status of a transaction proves, in letters of any case: `received`: the money came; `reversed`: it went back; null: nothing.
 */
export function movementOf(status: string | null): 'received' | 'reversed' | null {
  const word = status?.toLowerCase();
  if (word === 'received' || word === 'complete') return 'received';
  return word === 'reversed' || word === 'voided' ? 'reversed' : null;
}
