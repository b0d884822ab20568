import type {
  Claim,
  ClaimedDelivery,
  DeliveryRecord,
  DeliverySummary,
} from '@tillkit/payments/internal/store';
import { bytes, number, optional, text, time, type Row } from '../row.js';

export function readDelivery(row: Row): DeliveryRecord {
  return { ...readHeader(row), body: bytes(row, 'body') };
}

export function readDeliverySummary(row: Row): DeliverySummary {
  return { ...readHeader(row), bytes: number(row, 'bytes') };
}

function readHeader(row: Row): Omit<DeliveryRecord, 'body'> {
  return {
    id: text(row, 'id'),
    account: text(row, 'account'),
    key: text(row, 'key'),
    kind: text(row, 'kind') as DeliveryRecord['kind'],
    resource: row['resource'] ?? null,
    resourceId: row['resource_id'] ?? null,
    verifiedBy: text(row, 'verified_by') as DeliveryRecord['verifiedBy'],
    state: text(row, 'state') as DeliveryRecord['state'],
    attempts: number(row, 'attempts'),
    duplicates: number(row, 'duplicates'),
    receivedAt: time(row, 'received_at'),
    ageMs: number(row, 'age_ms'),
    lastError: row['last_error'] ?? null,
    ...optional('traceparent', row),
  };
}

export function readClaim(row: Row): Claim {
  return { account: text(row, 'account'), id: text(row, 'id'), token: text(row, 'token') };
}

export function readClaimedDelivery(row: Row): ClaimedDelivery {
  return { ...readDelivery(row), ...readClaim(row) };
}
