import type { FailureReason, PaymentState, ReviewCause, Via } from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';

const TONES: Readonly<Record<string, string>> = {
  succeeded: 'good',
  done: 'good',
  failed: 'bad',
  dead: 'bad',
  needs_review: 'wait',
  unrecognised: 'wait',
  unknown: 'wait',
  reversed: 'wait',
  paused: 'wait',
};

const NAMES: Readonly<Record<string, string>> = { needs_review: 'needs review' };

export const PAYMENT_STATES: readonly PaymentState[] = [
  'created',
  'requested',
  'pending',
  'unknown',
  'succeeded',
  'failed',
  'needs_review',
  'reversed',
];

/** A state as a coloured word. The colour adds no information. */
export function state(name: string): Html {
  return html`<span class="state state--${TONES[name] ?? 'open'}">${stateName(name)}</span>`;
}

export function stateName(name: string): string {
  return NAMES[name] ?? name;
}

/** The source of evidence. */
export function source(via: Via): Html {
  return html`<span class="source">${via}</span>`;
}

export const REASONS: Readonly<Record<FailureReason, string>> = {
  cancelled: 'cancelled on the phone',
  timeout: 'not answered in time',
  insufficient_funds: 'insufficient funds',
  wrong_pin: 'wrong PIN',
  limit: 'over a limit',
  busy: 'the phone was busy',
  rejected: 'refused by the platform',
  not_sent: 'not sent in time',
  declined: 'not approved',
  expired: 'not paid in time',
  unknown: 'reason not known',
};

export const CAUSES: Readonly<Record<ReviewCause, string>> = {
  no_evidence: 'no evidence from the platform in time',
  no_transaction: 'success without a transaction',
  ambiguous: 'several transactions or payments match',
  amount_mismatch: 'the amount paid is different',
  currency_mismatch: 'the currency paid is different',
  till_mismatch: 'the money went to another till',
  unreadable_amount: 'the amount paid is unreadable',
  success_with_errors: 'success, with errors',
  failed_with_transaction: 'failed, with a transaction',
  paid_after_failure: 'money arrived after the failure',
  second_transaction: 'a second transaction was seen',
  transaction_of_another_payment: 'the transaction belongs to another payment',
  unmatched_results: 'the results fit no destination',
  reversed: 'reversed before the success was known',
};
