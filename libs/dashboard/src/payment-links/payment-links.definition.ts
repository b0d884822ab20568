import { maskPhones } from '@tillkit/payments/internal/routes';
import {
  isPaymentLink,
  type OperationFilter,
  type PaymentLinkRecord,
} from '@tillkit/payments/internal/store';
import type { CsvColumn } from '../csv/csv.format.js';
import { maskPhone } from '../html/phone.format.js';
import { PAYMENT_STATES } from '../html/state.fragment.js';
import type { ListDefinition } from '../lists/list.definition.js';
import { ORDER_NUMBER, REFERENCE, REQUESTED_BY, TILL } from '../operations/operation-columns.js';
import { makeLink, operationsList } from '../operations/operations.definition.js';
import { operationsTable } from '../operations/operations-table.fragment.js';
import { WORDS } from '../words/english.words.js';
import type { Visit } from '../web/visit.dto.js';
import { linkPayer, nameOfLinkPayer } from './link-payer.fragment.js';

/** Returns the list of payment links. Anybody can pay at a link, and the store finds no link by its payer, so no field names a person. */
export function paymentLinksList(visit: Visit): ListDefinition<OperationFilter, PaymentLinkRecord> {
  const { paymentLinks: words, transactions } = WORDS;
  return operationsList(visit, {
    kind: 'payment_link',
    words,
    states: PAYMENT_STATES,
    is: isPaymentLink,
    action: () => makeLink(visit, 'payment-links/new', 'New payment link'),
    table: (links) =>
      operationsTable(
        visit,
        'Payment links, newest first',
        transactions.payer,
        links.map((operation) => ({ operation, person: linkPayer(operation) })),
      ),
    columns: COLUMNS,
  });
}

/** The file does not have the address of the link, because whoever has the file could share it. */
const COLUMNS: readonly CsvColumn<PaymentLinkRecord>[] = [
  TILL,
  { name: 'payer', cell: (link) => nameOfLinkPayer(link) },
  {
    name: 'phone',
    cell: ({ transaction }) =>
      transaction?.senderPhoneNumber && maskPhone(transaction.senderPhoneNumber),
  },
  ORDER_NUMBER,
  { name: 'paymentReference', cell: ({ paymentReference }) => maskPhones(paymentReference ?? '') },
  { name: 'note', cell: ({ note }) => maskPhones(note ?? '') },
  REFERENCE,
  REQUESTED_BY,
];
