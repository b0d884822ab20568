import type { FailureReason, PaymentState, ReviewCause, Via } from '@tillkit/payments';
import { html, type Html } from './html.template.js';

const TONES: Readonly<Record<string, string>> = {
  succeeded: 'good',
  done: 'good',
  failed: 'bad',
  dead: 'bad',
  needs_review: 'wait',
  unrecognised: 'wait',
  unknown: 'wait',
  reversed: 'wait',
};

const WORDS: Readonly<Record<string, string>> = { needs_review: 'needs review' };

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

/** A state as a word in its colour; the word alone says it. */
export function state(name: string): Html {
  return html`<span class="state state--${TONES[name] ?? 'open'}">${stateWords(name)}</span>`;
}

export function stateWords(name: string): string {
  return WORDS[name] ?? name;
}

/** The road by which news came. */
export function road(via: Via): Html {
  return html`<span class="road">${via}</span>`;
}

export const REASONS: Readonly<Record<FailureReason, string>> = {
  cancelled: 'cancelled on the phone',
  timeout: 'not answered in time',
  insufficient_funds: 'too little money',
  wrong_pin: 'wrong PIN',
  limit: 'over a limit',
  busy: 'the phone was busy',
  rejected: 'refused by the platform',
  not_sent: 'not sent in time',
  unknown: 'reason not known',
};

export const CAUSES: Readonly<Record<ReviewCause, string>> = {
  no_evidence: 'no word from the platform in time',
  no_transaction: 'success without a transaction',
  ambiguous: 'several transactions or payments fit',
  amount_mismatch: 'another amount was paid',
  currency_mismatch: 'another currency was paid',
  till_mismatch: 'it was paid to another till',
  unreadable_amount: 'the amount paid cannot be read',
  success_with_errors: 'success, with errors',
  failed_with_transaction: 'failed, with a transaction',
  paid_after_failure: 'money came after the failure',
  second_transaction: 'a second transaction was seen',
  transaction_of_another_payment: 'the transaction belongs to another payment',
  reversed: 'reversed before it was known to succeed',
};
