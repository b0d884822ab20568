import { isLasting, refusalOf } from '../ledger/operation.kind.js';
import type { NewOperationRecord, OperationRecord } from '../operations/operation-forms.js';
import type { AskedAgain, GuardKey } from '../store/operation.js';
import {
  MOST_IN_THE_WAY,
  type OperationInTheWay,
  type RefusedByGuard,
  type RefusedRecord,
} from '../store/operations.store.js';
import { DAY } from '../runtime/clock.js';

/** The store keeps this of an operation, to refuse others because of it. */
export interface GuardingRow {
  record: OperationRecord;
  guardKeys: readonly GuardKey[];
  /** See `OperationGuard.counted`. */
  counted: Readonly<Record<string, string>>;
  /** Epoch milliseconds; for an operation that nobody had to approve, when it was recorded. */
  approvedAt: number;
}

/** @param rows the operations of the account, oldest first */
export function refusedByGuard(
  operation: AskedAgain,
  rows: readonly GuardingRow[],
  now: number,
): RefusedByGuard | null {
  const keys = new Set(operation.guard?.keys.map(({ key }) => key));
  const holders = rows
    .filter(
      ({ record: { id }, guardKeys }) =>
        guardKeys.some(({ key }) => keys.has(key)) || operation.besides.includes(id),
    )
    .filter(({ record: { id } }) => id !== operation.id)
    .map(({ record, guardKeys }) => ({
      ...record,
      keys: guardKeys.map(({ key }) => key),
      unchangedMs: now - record.updatedAt.getTime(),
    }));
  const refusal = refusalOf(operation, holders);
  if (!refusal) return null;
  const operations = holders
    .filter(({ id }) => refusal.ids.includes(id))
    .slice(0, MOST_IN_THE_WAY)
    .map(inTheWay);
  return { kind: refusal.kind, operations };
}

export function overDailyLimit(
  { id, kind, amount, amountMinor, dailyLimitMinor }: AskedAgain,
  rows: readonly GuardingRow[],
  now: number,
): RefusedRecord | null {
  if (dailyLimitMinor === undefined) return null;
  const usedMinor = rows
    .filter(({ record }) => record.kind === kind && record.amount.currency === amount.currency)
    .filter((row) => row.record.id !== id && isOfLastDay(row, now))
    .reduce((sum, { record }) => sum + BigInt(record.amountMinor), 0n);
  return usedMinor + BigInt(amountMinor) > BigInt(dailyLimitMinor)
    ? { kind: 'over_limit', usedMinor: String(usedMinor) }
    : null;
}

/**
 * True when one destination of a new operation would get so much, together with what it got in the last day, that a second person must
 * approve it.
 */
export function needsApproval(
  { guard, approveFromMinor }: NewOperationRecord,
  rows: readonly GuardingRow[],
  now: number,
): boolean {
  if (approveFromMinor === undefined) return false;
  const ofLastDay = rows.filter((row) => isOfLastDay(row, now));
  const sums = Object.entries(guard?.counted ?? {}).map(([key, own]) =>
    ofLastDay.reduce((sum, { counted }) => sum + BigInt(counted[key] ?? 0), BigInt(own)),
  );
  return [0n, ...sums].some((sum) => sum >= BigInt(approveFromMinor));
}

/** Keeps only the guards that name no person, a refund or an order, when an operation loses its personal data. */
export function guardNoPerson(row: GuardingRow): void {
  row.guardKeys = row.guardKeys.filter(isLasting);
  row.counted = {};
}

function inTheWay(record: OperationRecord): OperationInTheWay {
  const { id, kind, idempotencyKey, state, createdAt } = record;
  const order = 'order' in record ? record.order : null;
  const metadata = 'metadata' in record ? record.metadata : null;
  return { id, kind, idempotencyKey, order, metadata, state, since: createdAt };
}

/**
 * True when an operation was recorded or approved in the last day, waits for approval, or is about to be sent. One that failed used
 * nothing.
 */
function isOfLastDay({ record, approvedAt }: GuardingRow, now: number): boolean {
  const isCounted = record.state === 'created' || approvedAt > now - DAY;
  return isCounted && record.state !== 'failed';
}
