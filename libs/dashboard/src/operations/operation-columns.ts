import { canonicalValue, maskPhones } from '@tillkit/payments/internal/routes';
import type { OperationRecord } from '@tillkit/payments/internal/store';
import type { CsvColumn } from '../csv/csv.format.js';
import { orderNumberOf } from './order-number.format.js';

/** The first columns of every file of operations. */
export const FIRST_COLUMNS: readonly CsvColumn<OperationRecord>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'state', cell: ({ state }) => state },
  { name: 'recordedAt', cell: ({ createdAt }) => createdAt.toISOString() },
  { name: 'changedAt', cell: ({ updatedAt }) => updatedAt.toISOString() },
  { name: 'currency', cell: ({ amount }) => amount.currency },
  {
    name: 'amount',
    isNumber: true,
    cell: ({ amount }) => canonicalValue(amount.value, amount.currency),
  },
];

export const TILL: CsvColumn<{ tillNumber: string }> = {
  name: 'till',
  cell: ({ tillNumber }) => tillNumber,
};

/** The reference of the received money. */
export const REFERENCE: CsvColumn<OperationRecord> = {
  name: 'reference',
  cell: ({ transaction }) => transaction?.reference,
};

export const REQUESTED_BY: CsvColumn<{ requestedBy: string | null }> = {
  name: 'requestedBy',
  cell: ({ requestedBy }) => maskPhones(requestedBy ?? ''),
};

export const ORDER_NUMBER: CsvColumn<OperationRecord> = {
  name: 'orderNumber',
  cell: orderNumberOf,
};

/** The last columns of every file of operations. */
export const LAST_COLUMNS: readonly CsvColumn<OperationRecord>[] = [
  { name: 'reason', cell: ({ reason }) => reason },
  { name: 'cause', cell: ({ cause }) => cause },
  { name: 'source', cell: ({ settledVia }) => settledVia },
  { name: 'platformId', cell: ({ platformId }) => platformId },
];
