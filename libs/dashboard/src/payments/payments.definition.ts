import { canonicalValue, maskThisPhone } from '@tillkit/payments/routes';
import {
  isPayment,
  type OperationFilter,
  type OperationState,
  type PaymentRecord,
} from '@tillkit/payments/store';
import type { FailureReason, Via } from '@tillkit/payments';
import type { CsvColumn } from '../csv/csv.format.js';
import { maskPhone } from '../html/phone.format.js';
import { PAYMENT_STATES } from '../html/state.fragment.js';
import type { ListDefinition, ListField } from '../lists/list.definition.js';
import { fieldsFor } from '../lists/list.fields.js';
import type { Visit } from '../web/visit.dto.js';
import { nameOf, paymentsTable } from './payments-table.fragment.js';

const choicesOf = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

/** The list of payments. */
export function paymentsList(visit: Visit): ListDefinition<OperationFilter, PaymentRecord> {
  const { account, words } = visit;
  const { payments, states } = words;
  return {
    section: 'payments',
    path: 'payments',
    title: payments.title,
    states: PAYMENT_STATES.map((value) => ({ value, label: states[value] })),
    filter: { kind: 'payment' },
    applyStates: (filter, wanted) => {
      filter.states = wanted as OperationState[];
    },
    fields: fieldsOf(visit),
    async read(filter, page) {
      const found = await account.store.operations.list(account.name, filter, page);
      return { ...found, items: found.items.filter(isPayment) };
    },
    table: (items) => paymentsTable(visit, items),
    none: payments.empty.none,
    noMatch: payments.empty.noMatch,
    columns: COLUMNS(visit),
  };
}

function fieldsOf(visit: Visit): ListField<OperationFilter>[] {
  const { payments, reasons, sources } = visit.words;
  const { search: label } = payments;
  const { plain, phone, time, amount, choice } = fieldsFor<OperationFilter>(visit);
  return [
    phone({ name: 'phone', label: label.phone, hint: label.phoneHint }, (filter, value) => {
      filter.phoneNumber = value;
    }),
    plain({ name: 'name', label: label.name, isPrivate: true }, (filter, value) => {
      filter.name = value;
    }),
    plain({ name: 'key', label: label.orderNumber }, (filter, value) => {
      filter.keyBeginsWith = value;
    }),
    plain({ name: 'reference', label: label.reference }, (filter, value) => {
      filter.reference = value;
    }),
    plain({ name: 'platformId', label: label.platformId }, (filter, value) => {
      filter.platformId = value;
    }),
    amount({ name: 'amountFrom', label: label.amountFrom }, (filter, value) => {
      filter.amountFrom = value;
    }),
    amount({ name: 'amountTo', label: label.amountTo }, (filter, value) => {
      filter.amountTo = value;
    }),
    time({ name: 'from', label: label.from }, (filter, value) => {
      filter.from = value;
    }),
    time({ name: 'to', label: label.to }, (filter, value) => {
      filter.to = value;
    }),
    plain({ name: 'till', label: label.till }, (filter, value) => {
      filter.tillNumber = value;
    }),
    choice({ name: 'reason', label: label.reason }, choicesOf(reasons), (filter, value) => {
      filter.reasons = [value as FailureReason];
    }),
    choice({ name: 'source', label: label.source }, choicesOf(sources), (filter, value) => {
      filter.sources = [value as Via];
    }),
  ];
}

/** Phone numbers are masked in files too: a file is copied more easily than a page. */
const COLUMNS = ({ words }: Visit): CsvColumn<PaymentRecord>[] => [
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
  { name: 'till', cell: ({ tillNumber }) => tillNumber },
  { name: 'customer', cell: (payment) => nameOf(words, payment) },
  { name: 'phone', cell: ({ subscriber }) => maskPhone(subscriber.phoneNumber) },
  {
    name: 'orderNumber',
    cell: ({ idempotencyKey, subscriber }) => maskThisPhone(idempotencyKey, subscriber.phoneNumber),
  },
  { name: 'reference', cell: ({ transaction }) => transaction?.reference },
  { name: 'reason', cell: ({ reason }) => reason },
  { name: 'cause', cell: ({ cause }) => cause },
  { name: 'source', cell: ({ settledVia }) => settledVia },
  { name: 'platformId', cell: ({ platformId }) => platformId },
];
