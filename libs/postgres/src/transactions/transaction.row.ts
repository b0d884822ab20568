import {
  ownerIdOf,
  type LedgerChange,
  type TransactionRecord,
  type TransactionSum,
} from '@tillkit/payments/store';
import { hashOf, storableHash, storableTime } from '../storable.js';
import { json, number, text, time, type Row } from '../row.js';

/** A sum in JSON. Times are epoch milliseconds. */
type WrittenSum = Omit<TransactionSum, 'originatedAt'> & { originatedAt: number | null };

/** Identifies a record. It hashes the original text, so references stay different even if only their unstorable parts differ. */
export function referenceHash(reference: string): string {
  return hashOf(reference);
}

/** The hash of currency and amount that indexes use; null if one of them is unreadable. */
export function amountHash({
  currency,
  amountMinor,
}: {
  currency: string | null;
  amountMinor: string | null;
}): string | null {
  return currency === null || amountMinor === null ? null : hashOf(currency, amountMinor);
}

export function readTransaction(row: Row): TransactionRecord {
  return {
    account: text(row, 'account'),
    reference: text(row, 'reference'),
    version: number(row, 'version'),
    sums: json<WrittenSum[]>(row, 'sums').map((sum) => ({
      ...sum,
      originatedAt: sum.originatedAt === null ? null : new Date(sum.originatedAt),
    })),
    createdAt: time(row, 'created_at'),
  };
}

/** A change of a transaction as `commit_change` reads it: the sums, and the columns that indexes take from the first sum. */
export function writeTransactionChange({
  reference,
  version,
  sums,
}: NonNullable<LedgerChange['transaction']>): object {
  const [first] = sums;
  return {
    reference,
    version,
    referenceHash: referenceHash(reference),
    sums: sums.map((sum): WrittenSum => ({ ...sum, originatedAt: storableTime(sum.originatedAt) })),
    several: sums.length > 1,
    untied: sums.some((sum) => sum.received !== null && ownerIdOf(sum) === null),
    originatedAt: storableTime(first?.originatedAt ?? null),
    amountHash: first ? amountHash(first) : null,
    payerHash: first?.payerHash ? storableHash(first.payerHash) : null,
  };
}
