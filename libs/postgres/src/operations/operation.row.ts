import {
  formOf,
  GUARDED_STATES,
  isLasting,
  PAID_STATES,
  payerHashOf,
  type AskedAgain,
  type LedgerChange,
  type NewOperationRecord,
  type OperationGuard,
  type OperationRecord,
  type RecordOptions,
  type StoredHistoryEntry,
} from '@tillkit/payments/internal/store';
import { storableTime } from '../storable.js';
import { boolean, json, number, optional, optionalTime, text, time, type Row } from '../row.js';
import {
  packTransaction,
  unpackTransaction,
  type PackedTransaction,
} from '../transactions/packed-transaction.js';

/** Reads a row of `operation_row`. Ages are by the database's clock. */
export function readOperation(row: Row): OperationRecord {
  const now = number(row, 'now');
  const kind = text(row, 'kind');
  return {
    ...json<object>(row, 'request'),
    ...(json<object | null>(row, 'personal') ?? formOf({ kind }).withoutPersons),
    id: text(row, 'id'),
    account: text(row, 'account'),
    kind,
    idempotencyKey: text(row, 'idempotency_key'),
    tills: json<string[]>(row, 'tills'),
    amount: { currency: text(row, 'currency'), value: text(row, 'amount') },
    amountMinor: text(row, 'amount_minor'),
    besides: json<string[] | null>(row, 'besides') ?? [],
    inBackground: boolean(row, 'in_background'),
    state: text(row, 'state') as OperationRecord['state'],
    version: number(row, 'version'),
    redacted: boolean(row, 'is_redacted'),
    platformId: row['platform_id'] ?? null,
    transaction: readTransaction(row),
    outcome: json<unknown>(row, 'outcome'),
    approvedBy: row['approved_by'] ?? null,
    settledVia: (row['settled_via'] ?? null) as OperationRecord['settledVia'],
    reason: (row['reason'] ?? null) as OperationRecord['reason'],
    errors: json<string[]>(row, 'errors'),
    cause: (row['cause'] ?? null) as OperationRecord['cause'],
    causeDetail: row['cause_detail'] ?? null,
    sender: row['sender'] ?? null,
    sentAt: optionalTime(row, 'sent_at'),
    deniedAt: optionalTime(row, 'denied_at'),
    decided: boolean(row, 'decided'),
    evidence: json<string[]>(row, 'evidence'),
    emptySuccesses: number(row, 'empty_successes'),
    checks: number(row, 'checks'),
    ageMs: now - number(row, 'created_at'),
    unchangedMs: now - number(row, 'updated_at'),
    sendWithinMs: number(row, 'send_before') - now,
    createdAt: time(row, 'created_at'),
    updatedAt: time(row, 'updated_at'),
    ...optional('traceparent', row),
  } as unknown as OperationRecord;
}

function readTransaction(row: Row): OperationRecord['transaction'] {
  const packed = json<PackedTransaction | null>(row, 'transaction');
  return packed && (unpackTransaction(packed) as OperationRecord['transaction']);
}

/** Returns an operation as `record_operations` reads it. */
export function writeOperation(
  operation: NewOperationRecord,
  { sendBeforeMs, isHeld = false, mark }: RecordOptions,
): object {
  const { amount, guard, dailyLimitMinor, approveFromMinor } = operation;
  const form = formOf(operation);
  return {
    id: operation.id,
    account: operation.account,
    kind: operation.kind,
    idempotencyKey: operation.idempotencyKey,
    tills: operation.tills,
    request: form.request(operation),
    personal: form.personal(operation),
    phoneHash: payerHashOf(operation),
    anyPayer: form.payer(operation) === 'anybody',
    currency: amount.currency,
    amount: amount.value,
    amountMinor: operation.amountMinor,
    besides: operation.besides,
    inBackground: operation.inBackground,
    sendBeforeMs,
    isHeld,
    ...(mark && { mark: { sender: mark.sender, sentAt: storableTime(mark.sentAt) } }),
    ...(operation.traceparent !== undefined && { traceparent: operation.traceparent }),
    ...(guard && writeGuard(guard)),
    ...(dailyLimitMinor !== undefined && { dailyLimitMinor }),
    ...(approveFromMinor !== undefined && { approveFromMinor }),
  };
}

/** Returns the facts of a request that is made again, as `refusal_of` reads them. */
export function writeAsked({ amount, guard, ...asked }: AskedAgain): object {
  return { ...asked, currency: amount.currency, ...(guard && writeGuard(guard)) };
}

/** Returns a guard with the states that refuse, so that SQL contains no rule about them. */
function writeGuard(guard: OperationGuard): object {
  return {
    guard: { ...guard, inFlight: GUARDED_STATES, paid: PAID_STATES },
    guardKeys: guardKeysOf(guard),
    lastingKeys: guard.keys.filter(isLasting).map(({ key }) => key),
  };
}

/** Returns all keys of a guard. */
export function guardKeysOf({ keys, counted = {} }: OperationGuard): string[] {
  return [...keys.map(({ key }) => key), ...Object.keys(counted)];
}

/** Returns a change of an operation as `commit_changes` reads it. */
export function writeOperationChange({
  totals: _,
  asks,
  ...change
}: NonNullable<LedgerChange['operation']>): object {
  const { sentAt, deniedAt, transaction } = change.set;
  return {
    ...change,
    ...(asks && { asks: writeAsked(asks) }),
    set: {
      ...change.set,
      ...(transaction && { transaction: packTransaction(transaction) }),
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
