import type { Transaction } from '../resources/transaction.resource.js';
import { canonicalTill, type TillAliases } from '../values/till-number.js';

/** What makes money the same money: reference and till after aliases, in one account. */
export interface MoneyKey {
  reference: string;
  tillKey: string;
}

/** A transaction of a till, with every webhook that told of it and the payment it belongs to. @publicApi */
export interface TillTransaction extends Transaction {
  /** Ids of the webhook events that told of it: what an SMS notification refers to. */
  webhookEventIds: readonly string[];
  /** The payment of ours whose money it is; null when it is none's, or not known to be. */
  paymentId: string | null;
  reversed: boolean;
}

/** Money as a store keeps it: what came in, and what went back, under one key, so that neither can miss the other. */
export interface TransactionRecord extends MoneyKey {
  readonly account: string;
  readonly version: number;
  /** What was received; null while only its reversal is known. */
  readonly received: Transaction | null;
  readonly reversal: Transaction | null;
  readonly webhookEventIds: readonly string[];
  readonly paymentId: string | null;
  /** Whether `till.transaction.received` was fired for it. */
  readonly announced: boolean;
  /** When it originated, by the platform's word; null when that cannot be read. */
  readonly originatedAt: Date | null;
  readonly currency: string | null;
  /** Amount in minor units, as text; null when unreadable. */
  readonly amountMinor: string | null;
  readonly createdAt: Date;
}

/** The key of a transaction; null when it names neither a reference nor an id, or no till. */
export function moneyKey(transaction: Transaction, aliases: TillAliases): MoneyKey | null {
  const reference = transaction.reference ?? (transaction.id ? `id:${transaction.id}` : null);
  const till = transaction.tillNumber?.trim();
  return reference && till ? { reference, tillKey: canonicalTill(till, aliases) } : null;
}

export function isSameMoney(one: MoneyKey | null, other: MoneyKey | null): boolean {
  return (
    one !== null &&
    other !== null &&
    one.reference === other.reference &&
    one.tillKey === other.tillKey
  );
}

export function toTillTransaction(record: TransactionRecord): TillTransaction | null {
  const transaction = record.received ?? record.reversal;
  if (!transaction) return null;
  const { webhookEventIds, paymentId } = record;
  return { ...transaction, webhookEventIds, paymentId, reversed: record.reversal !== null };
}
