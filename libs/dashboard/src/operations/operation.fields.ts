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
    phone: phone({ name: 'phone', label: label.phone, hint: label.phoneHint }, 'phoneNumber'),
    name: plain({ name: 'name', label: label.name, isPrivate: true }, 'name'),
    key: plain({ name: 'key', label: label.orderNumber }, 'keyBeginsWith'),
    reference: plain({ name: 'reference', label: label.receipt }, 'reference'),
    /** Of a refund: the reference of the money that goes back. */
    refundOf: plain({ name: 'reference', label: label.refundOf }, 'refundOf'),
    platformId: plain({ name: 'platformId', label: label.platformId }, 'platformId'),
    amountFrom: amount({ name: 'amountFrom', label: label.amountFrom }, 'amountFrom'),
    amountTo: amount({ name: 'amountTo', label: label.amountTo }, 'amountTo'),
    from: time({ name: 'from', label: label.from }, 'from'),
    to: time({ name: 'to', label: label.to }, 'to'),
    till: plain({ name: 'till', label: label.till }, 'tillNumber'),
    reason: choice({ name: 'reason', label: label.reason }, choicesOf(reasons), (filter, value) => {
      filter.reasons = [value as FailureReason];
    }),
    source: choice({ name: 'source', label: label.source }, choicesOf(sources), (filter, value) => {
      filter.sources = [value as Via];
    }),
  };
}
