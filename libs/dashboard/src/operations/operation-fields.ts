import type { FailureReason } from '@tillkit/payments';
import type { ReviewCause, Via } from '@tillkit/payments/types';
import type { OperationFilter } from '@tillkit/payments/internal/store';
import type { Choice } from '../lists/list.definition.js';
import { fieldsFor } from '../lists/list-fields.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

const choicesOf = (words: Readonly<Record<string, string>>): readonly Choice[] =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

/** The fields by which operations are filtered. Each list has those that its kind can have. */
export function operationFields(visit: Visit) {
  const { causes, payments, reasons, sources } = WORDS;
  const { search: label } = payments;
  const { plain, phone, time, amount, choice } = fieldsFor<OperationFilter>(visit);
  return {
    phone: phone({ name: 'phone', label: label.phone, hint: label.phoneHint }, 'phoneNumber'),
    name: plain({ name: 'name', label: 'Name', isPrivate: true }, 'name'),
    key: plain({ name: 'key', label: 'Beginning of the order number' }, 'keyBeginsWith'),
    reference: plain({ name: 'reference', label: label.receipt }, 'reference'),
    /** Of a refund: the reference of the money that goes back. */
    refundOf: plain(
      { name: 'reference', label: 'Reference of the money that goes back' },
      'refundOf',
    ),
    platformId: plain({ name: 'platformId', label: 'Id at the platform' }, 'platformId'),
    amountFrom: amount({ name: 'amountFrom', label: label.amountFrom }, 'amountFrom'),
    amountTo: amount({ name: 'amountTo', label: label.amountTo }, 'amountTo'),
    from: time({ name: 'from', label: 'Recorded from' }, 'from'),
    to: time({ name: 'to', label: 'until before' }, 'to'),
    till: plain({ name: 'till', label: 'Till' }, 'tillNumber'),
    reason: choice(
      { name: 'reason', label: 'Reason of the failure' },
      choicesOf(reasons),
      (filter, value) => {
        filter.reasons = [value as FailureReason];
      },
    ),
    cause: choice(
      { name: 'cause', label: 'Why it needs review' },
      choicesOf(causes),
      (filter, value) => {
        filter.causes = [value as ReviewCause];
      },
    ),
    passed: choice(
      { name: 'passed', label: 'Sent although another was open' },
      [{ value: 'yes', label: 'Yes' }],
      (filter) => {
        filter.passed = true;
      },
    ),
    source: choice(
      { name: 'source', label: 'Source of result' },
      choicesOf(sources),
      (filter, value) => {
        filter.sources = [value as Via];
      },
    ),
  };
}
