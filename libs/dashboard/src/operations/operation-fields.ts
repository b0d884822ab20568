import type { FailureReason } from '@tillkit/payments/types';
import type { ReviewCause, Via } from '@tillkit/payments/types';
import type { OperationFilter } from '@tillkit/payments/internal/store';
import type { Choice, ListField } from '../lists/list.definition.js';
import { fieldsFor } from '../lists/list-fields.js';
import type { Visit } from '../web/visit.dto.js';
import type { OperationKindName } from './operation-kinds.js';
import { WORDS } from '../words/english.words.js';

const choicesOf = (words: Readonly<Record<string, string>>): readonly Choice[] =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

/** Returns the fields by which the operations of a kind are filtered. */
export function operationFields(
  visit: Visit,
  kind: OperationKindName,
): readonly ListField<OperationFilter>[] {
  const { causes, payments, reasons, sources } = WORDS;
  const { search: label } = payments;
  const { plain, phone, time, amount, choice } = fieldsFor<OperationFilter>(visit);
  const is = (...kinds: OperationKindName[]): boolean => kinds.includes(kind);
  const fields = [
    // Only a payment names a person in its request, so only payments can be found by one.
    is('payment') &&
      phone({ name: 'phone', label: label.phone, hint: label.phoneHint }, 'phoneNumber'),
    is('payment') && plain({ name: 'name', label: 'Name', isPrivate: true }, 'name'),
    plain({ name: 'key', label: 'Beginning of the order number' }, 'keyBeginsWith'),
    is('payment', 'payment_link') &&
      plain({ name: 'reference', label: label.receipt }, 'reference'),
    is('refund') &&
      plain({ name: 'reference', label: 'Reference of the money that goes back' }, 'refundOf'),
    plain({ name: 'platformId', label: 'Id at the platform' }, 'platformId'),
    amount({ name: 'amountFrom', label: label.amountFrom }, 'amountFrom'),
    amount({ name: 'amountTo', label: label.amountTo }, 'amountTo'),
    time({ name: 'from', label: 'Recorded from' }, 'from'),
    time({ name: 'to', label: 'until before' }, 'to'),
    is('payment', 'payment_link') && plain({ name: 'till', label: 'Till' }, 'tillNumber'),
    choice(
      { name: 'reason', label: 'Reason of the failure' },
      choicesOf(reasons),
      (filter, value) => {
        filter.reasons = [value as FailureReason];
      },
    ),
    choice({ name: 'cause', label: 'Why it needs review' }, choicesOf(causes), (filter, value) => {
      filter.causes = [value as ReviewCause];
    }),
    !is('refund') &&
      choice(
        { name: 'passed', label: 'Sent although another was open' },
        [{ value: 'yes', label: 'Yes' }],
        (filter) => {
          filter.passed = true;
        },
      ),
    choice({ name: 'source', label: 'Source of result' }, choicesOf(sources), (filter, value) => {
      filter.sources = [value as Via];
    }),
  ];
  return fields.filter((field) => field !== false);
}
