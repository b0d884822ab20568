import type { BareRequest } from '@tillkit/payments/internal/store';
import { storableHash, storableJson, storableText } from '../storable.js';
import { json, text, time, type Row } from '../row.js';
import { amountHash } from '../transactions/transaction.row.js';

export function readBareRequest(row: Row): BareRequest {
  return {
    id: text(row, 'id'),
    resource: text(row, 'resource') as BareRequest['resource'],
    platformId: row['platform_id'] ?? null,
    sentAt: time(row, 'sent_at'),
    money: json<BareRequest['money']>(row, 'money'),
  };
}

/** Returns the values of `bare-requests/keep.sql`. */
export function writeBareRequest(account: string, request: BareRequest): unknown[] {
  const { id, resource, platformId, sentAt, money } = request;
  return [
    account,
    storableText(id),
    resource,
    platformId && storableText(platformId),
    sentAt.getTime(),
    money && storableJson(money),
    money && amountHash(money),
    money && storableHash(money.payerHash),
  ];
}
