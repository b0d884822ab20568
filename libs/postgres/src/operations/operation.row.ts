import {
  phoneHash,
  type LedgerChange,
  type NewPayment,
  type PaymentRecord,
  type StoredHistoryEntry,
} from '@tillkit/payments/store';
import { storableTime } from '../storable.js';
import { boolean, json, number, optionalTime, text, time, type Row } from '../row.js';

/** Reads a row of `operation_row`. Ages are by the database's clock. */
export function readOperation(row: Row): PaymentRecord {
  const now = number(row, 'now');
  return {
    id: text(row, 'id'),
    account: text(row, 'account'),
    kind: text(row, 'kind'),
    idempotencyKey: text(row, 'idempotency_key'),
    channel: text(row, 'channel'),
    tillNumber: text(row, 'till_number'),
    tills: json<string[]>(row, 'tills'),
    subscriber: json<PaymentRecord['subscriber']>(row, 'subscriber'),
    amount: { currency: text(row, 'currency'), value: text(row, 'amount') },
    amountMinor: text(row, 'amount_minor'),
    metadata: json<PaymentRecord['metadata']>(row, 'metadata'),
    allowParallel: boolean(row, 'allow_parallel'),
    inBackground: boolean(row, 'in_background'),
    state: text(row, 'state') as PaymentRecord['state'],
    version: number(row, 'version'),
    platformId: row['platform_id'] ?? null,
    transaction: json<PaymentRecord['transaction']>(row, 'transaction'),
    reason: (row['reason'] ?? null) as PaymentRecord['reason'],
    errors: json<string[]>(row, 'errors'),
    cause: (row['cause'] ?? null) as PaymentRecord['cause'],
    causeDetail: row['cause_detail'] ?? null,
    sender: row['sender'] ?? null,
    sentAt: optionalTime(row, 'sent_at'),
    windowSwept: boolean(row, 'window_swept'),
    deniedAt: optionalTime(row, 'denied_at'),
    decided: boolean(row, 'decided'),
    emptySuccesses: number(row, 'empty_successes'),
    checks: number(row, 'checks'),
    ageMs: now - number(row, 'created_at'),
    unchangedMs: now - number(row, 'updated_at'),
    sendWithinMs: number(row, 'send_before') - now,
    createdAt: time(row, 'created_at'),
    updatedAt: time(row, 'updated_at'),
  };
}

/** An operation as `insert_operation` reads it. */
export function writeOperation({ amount, ...payment }: NewPayment, sendBeforeMs: number): object {
  return {
    ...payment,
    sendBeforeMs,
    currency: amount.currency,
    amount: amount.value,
    phoneHash: phoneHash(payment.subscriber.phoneNumber),
  };
}

/** A change of an operation as `commit_change` reads it. */
export function writeOperationChange(change: NonNullable<LedgerChange['operation']>): object {
  const { sentAt, deniedAt } = change.set;
  return {
    ...change,
    set: {
      ...change.set,
      ...(sentAt !== undefined && { sentAt: storableTime(sentAt) }),
      ...(deniedAt !== undefined && { deniedAt: storableTime(deniedAt) }),
    },
  };
}

export function readHistoryEntry(row: Row): StoredHistoryEntry {
  return {
    at: time(row, 'at'),
    via: text(row, 'via') as StoredHistoryEntry['via'],
    what: text(row, 'what'),
    detail: text(row, 'detail'),
  };
}
