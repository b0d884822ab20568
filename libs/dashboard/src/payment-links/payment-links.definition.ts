import type { PaymentLinkState } from '@tillkit/payments/types';
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
import { FIRST_COLUMNS, LAST_COLUMNS, ORDER_NUMBER } from '../operations/operation-columns.js';
import { operationFields } from '../operations/operation-fields.js';
import { makeLink, operationsList } from '../operations/operations.definition.js';
import { operationsTable } from '../operations/operations-table.fragment.js';
import { WORDS } from '../words/english.words.js';
import type { Visit } from '../web/visit.dto.js';
import { linkPayer, nameOfLinkPayer } from './link-payer.fragment.js';

const STATES: readonly PaymentLinkState[] = PAYMENT_STATES;

/** The list of payment links. Anybody can pay at a link, and the store finds none by who did, so no field names a person. */
export function paymentLinksList(visit: Visit): ListDefinition<OperationFilter, PaymentLinkRecord> {
  const { paymentLinks: words, transactions } = WORDS;
  const fields = operationFields(visit);
  return operationsList(visit, {
    kind: 'payment_link',
    section: 'payment-links',
    words,
    states: STATES,
    is: isPaymentLink,
    fields: [
      fields.key,
      fields.reference,
      fields.platformId,
      fields.amountFrom,
      fields.amountTo,
      fields.from,
      fields.to,
      fields.till,
      fields.reason,
      fields.cause,
      fields.passed,
      fields.source,
    ],
    action: () => makeLink(visit, 'payment-links/new', 'New payment link'),
    table: (links) =>
      operationsTable(
        visit,
        'Payment links, newest first',
        transactions.payer,
        links.map((operation) => ({ operation, person: linkPayer(operation) })),
      ),
    columns: columnsFor(),
  });
}

/** Without the address of the link: whoever has the file could share it. */
const columnsFor = (): CsvColumn<PaymentLinkRecord>[] => [
  ...FIRST_COLUMNS,
  { name: 'till', cell: ({ tillNumber }) => tillNumber },
  { name: 'payer', cell: (link) => nameOfLinkPayer(link) },
  {
    name: 'phone',
    cell: ({ transaction }) =>
      transaction?.senderPhoneNumber && maskPhone(transaction.senderPhoneNumber),
  },
  ORDER_NUMBER,
  { name: 'paymentReference', cell: ({ paymentReference }) => maskPhones(paymentReference ?? '') },
  { name: 'note', cell: ({ note }) => maskPhones(note ?? '') },
  { name: 'reference', cell: ({ transaction }) => transaction?.reference },
  { name: 'requestedBy', cell: ({ requestedBy }) => maskPhones(requestedBy ?? '') },
  ...LAST_COLUMNS,
];
