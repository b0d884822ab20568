import {
  isPayment,
  type OperationFilter,
  type PaymentRecord,
} from '@tillkit/payments/internal/store';
import type { CsvColumn } from '../csv/csv.format.js';
import { maskPhone } from '../html/phone.format.js';
import { PAYMENT_STATES } from '../html/state.fragment.js';
import type { ListDefinition } from '../lists/list.definition.js';
import { ORDER_NUMBER, REFERENCE, TILL } from '../operations/operation-columns.js';
import { operationsList } from '../operations/operations.definition.js';
import type { Visit } from '../web/visit.dto.js';
import { nameOf, paymentsTable } from './payments-table.fragment.js';
import { WORDS } from '../words/english.words.js';

export function paymentsList(visit: Visit): ListDefinition<OperationFilter, PaymentRecord> {
  return operationsList(visit, {
    kind: 'payment',
    words: {
      title: WORDS.payments.title,
      none: 'No payments have been recorded yet.',
      noMatch: 'No payments match.',
    },
    states: PAYMENT_STATES,
    is: isPayment,
    table: (items) => paymentsTable(visit, items),
    columns: COLUMNS,
  });
}

/** Phone numbers are masked in files too: a file is copied more easily than a page. */
const COLUMNS: readonly CsvColumn<PaymentRecord>[] = [
  TILL,
  { name: 'customer', cell: (payment) => nameOf(payment) },
  { name: 'phone', cell: ({ subscriber }) => maskPhone(subscriber.phoneNumber) },
  ORDER_NUMBER,
  REFERENCE,
];
