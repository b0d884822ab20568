import type { LedgerChange, MoneyKey, TransactionRecord } from '@tillkit/payments/store';
import { hashOf, storableTime } from '../storable.js';
import { boolean, json, number, optionalTime, text, time, type Row } from './row.js';

/** What tells one money from another. Of the texts as they came: what cannot be stored still differs here. */
export function moneyHash({ tillKey, reference }: MoneyKey): string {
  return hashOf(tillKey, reference);
}

/** Till, currency and amount, as an index finds them. */
export function amountHash(like: {
  tillKey: string;
  currency: string;
  amountMinor: string;
}): string {
  return hashOf(like.tillKey, like.currency, like.amountMinor);
}

export function readTransaction(row: Row): TransactionRecord {
  return {
    account: text(row, 'account'),
    reference: text(row, 'reference'),
    tillKey: text(row, 'till_key'),
    version: number(row, 'version'),
    received: json<TransactionRecord['received']>(row, 'received'),
    reversal: json<TransactionRecord['reversal']>(row, 'reversal'),
    webhookEventIds: json<string[]>(row, 'webhook_event_ids'),
    paymentId: row['payment_id'] ?? null,
    announced: boolean(row, 'announced'),
    originatedAt: optionalTime(row, 'originated_at'),
    currency: row['currency'] ?? null,
    amountMinor: row['amount_minor'] ?? null,
    createdAt: time(row, 'created_at'),
  };
}

/** A change of a transaction as `commit_change` reads it. */
export function writeTransactionChange({
  reference,
  tillKey,
  version,
  set,
}: NonNullable<LedgerChange['transaction']>): object {
  const { currency, amountMinor } = set;
  return {
    reference,
    tillKey,
    version,
    moneyHash: moneyHash({ reference, tillKey }),
    set: {
      ...set,
      originatedAt: storableTime(set.originatedAt),
      amountHash:
        amountMinor === null
          ? null
          : amountHash({ tillKey, currency: currency ?? '', amountMinor }),
    },
  };
}
