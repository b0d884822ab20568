import { Injectable } from '@nestjs/common';
import type { PaymentsValidationError, RequestPaymentLink } from '@tillkit/payments';
import type { PaymentLinkPreview } from '@tillkit/payments/types';
import { html } from '@tillkit/pages';
import { amountText } from '../actions/amount.format.js';
import { readForm, type FormField } from '../actions/form.fragment.js';
import { RequestFormPage, type RequestDefinition } from '../actions/request-form.page.js';
import { facts } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { text } from '../html/text.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

/** The typed texts, by the names of the fields. */
type LinkForm = Readonly<Record<string, string>>;

const { labels, title } = WORDS.linkForm;

const FIELDS: readonly FormField[] = [
  { name: 'amount', label: labels.amount },
  { name: 'currency', label: labels.currency },
  { name: 'paymentReference', label: labels.paymentReference, isOptional: true },
  { name: 'note', label: labels.note, isOptional: true },
  { name: 'tillNumber', label: labels.tillNumber, isOptional: true },
];

const REQUEST: RequestDefinition<LinkForm, PaymentLinkPreview> = {
  path: 'payment-links',
  what: 'payment link',
  title,
  empty: { currency: 'KES' },
  read: (form) => readForm(FIELDS, form).values,
  valuesOf: (asked) => asked,
  form: () => ({ fields: FIELDS }),
  problemsOf,
  preview: (visit, key, asked) => visit.account.paymentLinks.preview(requestOf(visit, key, asked)),
  shown: ({ amount, tillNumber, paymentReference, note }) => ({
    facts: facts([
      [WORDS.common.amount, money(amount)],
      [WORDS.common.till, html`<span class="mono">${text(tillNumber)}</span>`],
      paymentReference !== null && [labels.paymentReference, text(paymentReference, 500)],
      note !== null && [labels.note, text(note, 500)],
    ]),
    lastStep: WORDS.actions.lastStep,
    button: `Make the link for ${amountText(amount)}`,
  }),
  request: async (visit, key, asked) => {
    const link = await visit.account.paymentLinks.request(requestOf(visit, key, asked));
    return { ...link, notice: 'link-recorded' };
  },
};

/** Makes a payment link. */
@Injectable()
export class LinkFormPage extends RequestFormPage<LinkForm, PaymentLinkPreview> {
  protected readonly definition = REQUEST;
}

/** The library checks every field. */
function requestOf(
  { operator }: Visit,
  idempotencyKey: string,
  { amount = '', currency = '', paymentReference, note, tillNumber }: LinkForm,
): RequestPaymentLink {
  return {
    idempotencyKey,
    requestedBy: operator,
    amount: { currency: currency.toUpperCase(), value: amount },
    ...(paymentReference && { paymentReference }),
    ...(note && { note }),
    ...(tillNumber && { tillNumber }),
  };
}

function problemsOf({ problems }: PaymentsValidationError): Record<string, string> {
  const named = problems.map(({ field, problem }) => {
    if (field === 'amount.value') return ['amount', WORDS.payoutForm.problems.amount];
    if (field === 'amount.currency') return ['currency', WORDS.payoutForm.problems.currency];
    return FIELDS.some(({ name }) => name === field)
      ? [field, problem]
      : ['', `${field} ${problem}`];
  });
  return Object.fromEntries(named) as Record<string, string>;
}
