import type { FailureReason, Via } from '@tillkit/payments';
import type { OperationFilter } from '@tillkit/payments/store';
import type { Choice } from '../lists/list.definition.js';
import { fieldsFor } from '../lists/list.fields.js';
import type { Visit } from '../web/visit.dto.js';

const choicesOf = (words: Readonly<Record<string, string>>): readonly Choice[] =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

/** The fields by which operations are filtered. Each list has those that its kind can have. */
export function operationFields(visit: Visit) {
  const { payments, reasons, sources } = visit.words;
  const { search: label } = payments;
  const { plain, phone, time, amount, choice } = fieldsFor<OperationFilter>(visit);
  return {
    phone: phone({ name: 'phone', label: label.phone, hint: label.phoneHint }, (filter, value) => {
      filter.phoneNumber = value;
    }),
    name: plain({ name: 'name', label: label.name, isPrivate: true }, (filter, value) => {
      filter.name = value;
    }),
    key: plain({ name: 'key', label: label.orderNumber }, (filter, value) => {
      filter.keyBeginsWith = value;
    }),
    reference: plain({ name: 'reference', label: label.reference }, (filter, value) => {
      filter.reference = value;
    }),
    /** Of a refund: the reference of the money that goes back. */
    refundOf: plain({ name: 'reference', label: label.refundOf }, (filter, value) => {
      filter.refundOf = value;
    }),
    platformId: plain({ name: 'platformId', label: label.platformId }, (filter, value) => {
      filter.platformId = value;
    }),
    amountFrom: amount({ name: 'amountFrom', label: label.amountFrom }, (filter, value) => {
      filter.amountFrom = value;
    }),
    amountTo: amount({ name: 'amountTo', label: label.amountTo }, (filter, value) => {
      filter.amountTo = value;
    }),
    from: time({ name: 'from', label: label.from }, (filter, value) => {
      filter.from = value;
    }),
    to: time({ name: 'to', label: label.to }, (filter, value) => {
      filter.to = value;
    }),
    till: plain({ name: 'till', label: label.till }, (filter, value) => {
      filter.tillNumber = value;
    }),
    reason: choice({ name: 'reason', label: label.reason }, choicesOf(reasons), (filter, value) => {
      filter.reasons = [value as FailureReason];
    }),
    source: choice({ name: 'source', label: label.source }, choicesOf(sources), (filter, value) => {
      filter.sources = [value as Via];
    }),
  };
}
