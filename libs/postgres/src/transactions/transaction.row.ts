import {
  ownerIdOf,
  readPayerOf,
  type Transaction,
  type LedgerChange,
  type TransactionRecord,
  type TransactionSum,
} from '@tillkit/payments/internal/store';
import { hashOf, storableHash, storableTime } from '../storable.js';
import { boolean, json, number, text, time, type Row } from '../row.js';
import {
  packTransaction,
  unpackTransaction,
  type PackedTransaction,
} from './packed-transaction.js';

/**
 * A later report of the same money changes only these fields of a sum, so they have their own column. PostgreSQL logs of an updated row
 * only the part between the first and the last byte that changed, and a sum is long.
 */
interface Marks extends Pick<
  TransactionSum,
  'webhookEventIds' | 'webhookDeliveryIds' | 'announced' | 'reversalAnnounced'
> {
  /** The kind of the received money. A webhook contains it, a result does not. */
  kind?: Transaction['kind'];
}

/** The rest of a sum in JSON. Times are epoch milliseconds. */
interface WrittenSum extends Omit<
  TransactionSum,
  Exclude<keyof Marks, 'kind'> | 'originatedAt' | 'received' | 'reversal'
> {
  originatedAt: number | null;
  received: PackedTransaction | null;
  reversal: PackedTransaction | null;
}

/** Identifies a record. It hashes the original text, so references stay different even if only their unstorable parts differ. */
export function referenceHash(reference: string): string {
  return hashOf(reference);
}

/** Returns the hash of currency and amount that indexes use; null if one of them is unreadable. */
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
    sums: readSums(json<WrittenSum[]>(row, 'sums'), json<Marks[]>(row, 'marks')),
    createdAt: time(row, 'created_at'),
    redacted: boolean(row, 'redacted'),
  };
}

/** Returns a change of a transaction as `commit_changes` reads it: the sums, and the columns that indexes take from the first sum. */
export function writeTransactionChange({
  reference,
  version,
  sums,
  redacted = false,
}: NonNullable<LedgerChange['transaction']>): object {
  const [first] = sums;
  const payer = first ? readPayerOf(first) : null;
  return {
    reference,
    version,
    redacted,
    referenceHash: referenceHash(reference),
    sums: sums.map(writeSum),
    marks: sums.map(
      ({ webhookEventIds, webhookDeliveryIds, announced, reversalAnnounced, received }): Marks => ({
        webhookEventIds,
        webhookDeliveryIds,
        announced,
        reversalAnnounced,
        ...(received?.kind && { kind: received.kind }),
      }),
    ),
    several: sums.length > 1,
    untied: sums.some((sum) => sum.received !== null && ownerIdOf(sum) === null),
    originatedAt: storableTime(first?.originatedAt ?? null),
    amountHash: first ? amountHash(first) : null,
    payerHash: payer && storableHash(payer),
  };
}

function readSums(sums: readonly WrittenSum[], marks: readonly Marks[]): TransactionSum[] {
  return sums.map(({ originatedAt, received, reversal, ...sum }, index) => {
    const { kind = null, ...own } = marks[index] as Marks;
    return {
      ...sum,
      ...own,
      originatedAt: originatedAt === null ? null : new Date(originatedAt),
      received: received && { ...unpackTransaction(received), kind },
      reversal: reversal && unpackTransaction(reversal),
    };
  });
}

function writeSum(whole: TransactionSum): WrittenSum {
  const {
    webhookEventIds: _ids,
    webhookDeliveryIds: _deliveryIds,
    announced: _announced,
    reversalAnnounced: _reversalAnnounced,
    originatedAt,
    received,
    reversal,
    ...sum
  } = whole;
  return {
    ...sum,
    originatedAt: storableTime(originatedAt),
    received: received && packTransaction({ ...received, kind: null }),
    reversal: reversal && packTransaction(reversal),
  };
}
