import { PaymentsValidationError, type RequestPaymentLink } from '@tillkit/payments';
import { WORDS } from '../words/english.words.js';

/** The fields of the form, in their order. */
export const LINK_FIELDS = [
  'amount',
  'currency',
  'paymentReference',
  'note',
  'tillNumber',
] as const;

export type LinkField = (typeof LINK_FIELDS)[number];

/** The form of a payment link, as typed. */
export type LinkForm = Record<LinkField, string>;

export function readLinkForm(fields: URLSearchParams): LinkForm {
  const typed = LINK_FIELDS.map((name) => [name, fields.get(name)?.trim() ?? '']);
  return Object.fromEntries(typed) as LinkForm;
}

/** The request of a form. The library checks every field. */
export function linkRequestOf(
  { amount, currency, paymentReference, note, tillNumber }: LinkForm,
  idempotencyKey: string,
  requestedBy: string,
): RequestPaymentLink {
  return {
    idempotencyKey,
    requestedBy,
    amount: { currency: currency.toUpperCase(), value: amount },
    ...(paymentReference !== '' && { paymentReference }),
    ...(note !== '' && { note }),
    ...(tillNumber !== '' && { tillNumber }),
  };
}

/** What is wrong with each field of the form. Problems of no field have the name ''. */
export function linkProblems({ problems }: PaymentsValidationError): Record<string, string> {
  const named = problems.map(({ field, problem }) => {
    if (field === 'amount.value') return ['amount', WORDS.payoutForm.problems.amount];
    if (field === 'amount.currency') return ['currency', WORDS.payoutForm.problems.currency];
    const isOfForm = (LINK_FIELDS as readonly string[]).includes(field);
    return isOfForm ? [field, problem] : ['', `${field} ${problem}`];
  });
  return Object.fromEntries(named) as Record<string, string>;
}
