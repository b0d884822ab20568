import type { RefundState } from '@tillkit/payments/types';
import { maskPhones } from '@tillkit/payments/internal/routes';
import {
  isPayment,
  isRefund,
  type OperationFilter,
  type RefundRecord,
} from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import type { CsvColumn } from '../csv/csv.format.js';
import { text } from '../html/text.fragment.js';
import type { ListDefinition } from '../lists/list.definition.js';
import { ORDER_NUMBER, REQUESTED_BY, TILL } from '../operations/operation-columns.js';
import { operationsList } from '../operations/operations.definition.js';
import { operationsTable } from '../operations/operations-table.fragment.js';
import { customer } from '../payments/payments-table.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

const STATES: readonly RefundState[] = [
  'created',
  'requested',
  'pending',
  'unknown',
  'succeeded',
  'failed',
  'needs_review',
];

/** Returns the list of refunds. The store finds no refund by its payer, so no field names a person. */
export function refundsList(visit: Visit): ListDefinition<OperationFilter, RefundRecord> {
  const { refunds: words, refundForm } = WORDS;
  return operationsList(visit, {
    kind: 'refund',
    words,
    states: STATES,
    is: isRefund,
    table: async (refunds) => {
      const persons = await payers(visit, refunds);
      return operationsTable(
        visit,
        'Refunds, newest first',
        refundForm.to,
        refunds.map((operation, at) => ({ operation, person: persons[at] ?? html`` })),
      );
    },
    columns: COLUMNS,
  });
}

/** Returns the people who get the money, read for all refunds of a page at once. */
async function payers(visit: Visit, refunds: readonly RefundRecord[]): Promise<Html[]> {
  const { store, name } = visit.account;
  const ids = refunds.flatMap(({ paymentId }) => paymentId ?? []);
  const payments = await store.operations.findMany(name, [...new Set(ids)]);
  return refunds.map(({ paymentId, reference }) => {
    const paid = paymentId === null ? undefined : payments.get(paymentId);
    if (!paid || !isPayment(paid)) return html`<span class="mono">${text(reference, 40)}</span>`;
    return customer(paid);
  });
}

/** The file names the payment or link by its id. The name of the payer would need one more query for each page of the file. */
const COLUMNS: readonly CsvColumn<RefundRecord>[] = [
  TILL,
  { name: 'paymentId', cell: ({ paymentId }) => paymentId },
  { name: 'reference', cell: ({ reference }) => reference },
  { name: 'refundReference', cell: ({ outcome }) => outcome?.reference },
  ORDER_NUMBER,
  { name: 'why', cell: ({ why }) => maskPhones(why) },
  REQUESTED_BY,
];
