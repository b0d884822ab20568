import {
  IdempotencyConflictError,
  PaymentsValidationError,
  PayoutInFlightError,
  PayoutLimitError,
} from '@tillkit/payments';
import { fieldText, PHONE_PROBLEM } from '../orders/checkout.form.js';
import { formatAmount } from '../web/formats.js';

/** The most money of one payout, and the amount from which a second person must approve it. */
export const PAYOUT_LIMITS = { perPayout: '5000', approveFrom: '1000' } as const;

export const inKes = (value: string): string => formatAmount({ currency: 'KES', value });

/** The fields of the form, as typed. */
export interface PayoutForm {
  /** A random value in the form, and the idempotency key: a form that is sent twice pays once. */
  readonly ticket: string;
  readonly supplier: string;
  readonly phone: string;
  readonly amount: string;
  /** The name of the person who asks for the payout. */
  readonly by: string;
}

export type PayoutProblems = Partial<Record<Exclude<keyof PayoutForm, 'ticket'>, string>>;

const MAX_LENGTH = 80;

/** Reads the form; null when our own page cannot have sent it. `@tillkit/payments` validates the fields. */
export function readPayoutForm(form: Readonly<Record<string, unknown>> = {}): PayoutForm | null {
  const text = (name: keyof PayoutForm): string => fieldText(form[name]);
  const [ticket, supplier, phone] = [text('ticket'), text('supplier'), text('phone')];
  const read = { ticket, supplier, phone, amount: text('amount'), by: text('by') };
  return Object.values(read).every(({ length }) => length <= MAX_LENGTH) ? read : null;
}

/** The field of the form and the text, by the field of the request. */
const TEXTS: Readonly<Record<string, PayoutProblems>> = {
  'destinations.0.nickname': { supplier: 'Please give the name of the supplier.' },
  'destinations.0.phoneNumber': { phone: PHONE_PROBLEM },
  'destinations.0.amount': { amount: 'Write the amount like 250 or 250.50. It must be above 0.' },
  requestedBy: { by: 'Please give your name.' },
};

/** Returns the problems that the shopkeeper can correct; null for any other error. Nothing was sent. */
export function payoutProblems(error: unknown): PayoutProblems | null {
  if (error instanceof PayoutInFlightError) {
    return {
      phone:
        'A payout of this amount to this phone has no outcome yet: see the list. Wait for it before you pay again.',
    };
  }
  if (error instanceof PayoutLimitError) {
    return { amount: `The shop pays at most ${inKes(PAYOUT_LIMITS.perPayout)} at once.` };
  }
  if (error instanceof IdempotencyConflictError) {
    return {
      amount:
        'This form was sent before, with another amount or phone: see the list. Load this page again for another payout.',
    };
  }
  if (!(error instanceof PaymentsValidationError)) return null;
  let problems: PayoutProblems = {};
  for (const { field } of error.problems) {
    if (!TEXTS[field]) return null;
    problems = { ...problems, ...TEXTS[field] };
  }
  return problems;
}
